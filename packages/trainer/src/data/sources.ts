import type { Batch } from '@hookline/hook-api';
import { trainerError } from '../errors.js';
import { isTensor } from '../tensors.js';
import type { Loader } from './loader.js';
import { type BatchStream, streamLoader } from './stream-loader.js';
import { type Table, type TableLoaderOptions, tableLoader } from './table-loader.js';

/** Data for one loader: a table, batches that are ready, or something that gives batches. */
export type Source = Table | readonly Batch[] | BatchStream | (() => BatchStream) | Loader;

/** One source, or several by name. */
export type Data = Source | Readonly<Record<string, Source>>;

export type SourceOptions = Omit<TableLoaderOptions, 'name'>;

/** The loaders of `data`; a single source is called `fallbackName`. */
export function loadersOf(data: Data, fallbackName: string, options: SourceOptions): Loader[] {
  if (isSource(data)) return [loaderOf(data, fallbackName, options)];
  const named = isObject(data) && !isTensor(data) ? Object.entries(data) : [];
  if (named.length > 0) return named.map(([name, source]) => loaderOf(source, name, options));
  throw trainerError(
    'BAD_DATA',
    `${fallbackName} has no data. Expected { xs, ys }, an array of batches, an (async) iterable of batches, a function that returns one, or several of these by name.`,
  );
}

function loaderOf(source: Source, name: string, options: SourceOptions): Loader {
  if (isLoader(source)) return source;
  if (isTable(source)) return tableLoader(source, { name, ...options });
  if (isStream(source)) return streamLoader(source, name, options.shapes);
  throw trainerError(
    'BAD_DATA',
    `The data of loader "${name}" is ${source === null ? 'null' : typeof source}. Expected { xs, ys }, an array of batches, an (async) iterable of batches, or a function that returns one.`,
  );
}

function isSource(data: Data): data is Source {
  return isLoader(data) || isTable(data) || isStream(data);
}

function isLoader(data: unknown): data is Loader {
  return isObject(data) && typeof (data as Partial<Loader>).epoch === 'function';
}

function isTable(data: unknown): data is Table {
  return isObject(data) && 'xs' in data;
}

function isStream(data: unknown): data is BatchStream | (() => BatchStream) {
  return (
    typeof data === 'function' ||
    (isObject(data) && (Symbol.iterator in data || Symbol.asyncIterator in data))
  );
}

function isObject(data: unknown): data is object {
  return typeof data === 'object' && data !== null;
}

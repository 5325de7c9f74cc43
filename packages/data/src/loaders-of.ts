import type { Batch } from '@hookline/hook-api';
import { isTensor } from '@hookline/numerics';
import { type CombinedData, isCombined } from './combine.js';
import type { CsvSource } from './csv/csv.js';
import { DataLoader, isDataLoader, type LoaderDefaults } from './data-loader.js';
import { dataError } from './errors.js';
import type { Loader } from './loaders/loader.js';
import { isOneSource } from './loaders/loader-of.js';
import type { Dataset } from './streams/dataset.js';
import type { StreamSource } from './streams/stream.js';
import type { Table } from './table/table.js';

/** Data for one loader: a table, batches that are ready, or something that gives batches. */
export type Source =
  | Table
  | readonly (Batch | Table)[]
  | StreamSource<Batch | Table>
  | Dataset
  | CsvSource
  | Loader
  | DataLoader;

/** One source, several by name, or several with a strategy. */
export type Data = Source | Readonly<Record<string, Source>> | CombinedData;

export type SourceOptions = Omit<LoaderDefaults, 'name'>;

/** The loaders of `data`; a single source is called `fallbackName`. */
export function loadersOf(data: Data, fallbackName: string, options: SourceOptions): Loader[] {
  const several = isCombined(data) ? data.sources : data;
  const loaders =
    isDataLoader(several) || isOneSource(several)
      ? [boundTo(several as Source, fallbackName, options)]
      : named(several).map(([name, source]) => boundTo(source, name, options));
  checkNames(loaders);
  if (loaders.length > 0) return loaders;
  throw dataError(
    'BAD_DATA',
    `${fallbackName} has no data. Expected { xs, ys }, an array of batches, an (async) iterable of batches, a function that returns one, a tf.data dataset, csv(file), a DataLoader, or several of these by name.`,
  );
}

function boundTo(source: Source, name: string, options: SourceOptions): Loader {
  const loader = isDataLoader(source) ? source : new DataLoader(source);
  return loader.forRun({ name, ...options });
}

function named(data: unknown): [string, Source][] {
  const isRecord = typeof data === 'object' && data !== null && !isTensor(data) && !ArrayBuffer.isView(data);
  return isRecord ? Object.entries(data) : [];
}

function checkNames(loaders: readonly Loader[]): void {
  const names = loaders.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw dataError('BAD_DATA', `Two loaders are called "${twice}": metrics and positions go by name.`);
}

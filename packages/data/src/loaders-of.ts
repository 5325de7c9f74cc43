import { isTensor } from '@hookline/numerics';
import { type CombinedData, isCombined } from './combine.js';
import { DataLoader } from './data-loader.js';
import { dataError } from './errors.js';
import type { Loader } from './loaders/loader.js';
import { isOneSource } from './loaders/loader-of.js';
import type { LoaderDefaults } from './loaders/loader-options.js';
import { isLoaderForRun, type Source } from './sources.js';

/** One source, several by name, or several with a strategy. */
export type Data = Source | Readonly<Record<string, Source>> | CombinedData;

/** The loaders of `data`; a single source is called `fallbackName`. */
export function loadersOf(
  data: Data,
  fallbackName: string,
  defaults: Omit<LoaderDefaults, 'name'>,
): Loader[] {
  const several = isCombined(data) ? data.sources : data;
  refuseOtherNames(several, fallbackName);
  const forRun = (source: Source, name: string) =>
    (isLoaderForRun(source) ? source : new DataLoader(source)).forRun({ name, ...defaults });
  const loaders = isSingle(several)
    ? [forRun(several, fallbackName)]
    : named(several).map(([name, source]) => forRun(source, name));
  checkNames(loaders);
  if (loaders.length > 0) return loaders;
  throw dataError(
    'BAD_DATA',
    `${fallbackName} has no data. Expected { xs, ys }, an array of batches, an (async) iterable of batches, a function that returns one, a tf.data dataset, csv(file), a DataLoader, or several of these by name.`,
  );
}

/** The columns of a table under the names that other libraries use: not sources by name. */
const INPUTS = /^(x|inputs?|features?|xTrain|images?)$/i;
const TARGETS = /^(y|targets?|labels?|outputs?|yTrain)$/i;

export function refuseOtherNames(data: unknown, name: string): void {
  if (typeof (Object(data) as { then?: unknown }).then === 'function') {
    throw dataError('BAD_DATA', `${name} is a promise. Await it before you pass it.`);
  }
  if (
    Array.isArray(data) &&
    data.length > 1 &&
    data.every((part) => isTensor(part) || ArrayBuffer.isView(part))
  ) {
    throw dataError(
      'BAD_DATA',
      `${name} is a list of ${data.length} tensors. Say which is which: { xs: inputs, ys: targets }.`,
    );
  }
  if (isTensor(data) || typeof data !== 'object' || data === null || 'xs' in data || Array.isArray(data))
    return;
  const keys = Object.keys(data);
  const inputs = keys.find((key) => INPUTS.test(key) && isColumn((data as Record<string, unknown>)[key]));
  const targets = keys.find((key) => TARGETS.test(key) || key === 'ys');
  if (inputs === undefined || (targets === undefined && keys.length > 1)) return;
  const wrote = targets === undefined ? inputs : `${inputs} and ${targets}`;
  throw dataError(
    'BAD_DATA',
    `${name} has ${wrote}. Inputs are called xs and targets ys: { xs: ${inputs}${targets === undefined ? '' : `, ys: ${targets}`} }.`,
  );
}

/** Values of samples, and not a source of batches. */
function isColumn(value: unknown): boolean {
  if (isTensor(value) || ArrayBuffer.isView(value)) return true;
  return Array.isArray(value) && (typeof value[0] === 'number' || Array.isArray(value[0]));
}

/** Whether `data` is one source, and not several by name. */
export function isSingle(data: Data): data is Source {
  return isLoaderForRun(data) || isOneSource(data);
}

/** Several sources by name. */
export function named(data: unknown): [string, Source][] {
  const isRecord = typeof data === 'object' && data !== null && !isTensor(data) && !ArrayBuffer.isView(data);
  return isRecord ? Object.entries(data) : [];
}

function checkNames(loaders: readonly Loader[]): void {
  const names = loaders.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw dataError(
    'BAD_DATA',
    `Two loaders are called "${twice}". Metrics and positions go by name: give each loader its own.`,
  );
}

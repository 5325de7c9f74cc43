import type { Batch } from '@hookline/hook-api';
import { deriveSeed } from '@hookline/numerics';
import { checkedLoader } from '../batch/check-values.js';
import { type Collate, type Collation, stackSamples } from '../batch/collate.js';
import { type CsvSource, isCsv } from '../csv/csv.js';
import { dataError } from '../errors.js';
import { cannotBeSplit } from '../split/check-split.js';
import { SourcePart } from '../split/part.js';
import { sizeOfDataset } from '../streams/dataset.js';
import { isStreamSource, nothingIn, openStream, type StreamSource } from '../streams/stream.js';
import type { Table } from '../table/table.js';
import { arrayLoader } from './array-loader.js';
import { type IndexedSamples, indexedLoader, isIndexed } from './indexed-loader.js';
import type { Loader } from './loader.js';
import type { DataLoaderOptions, LoaderDefaults, LoaderSettings } from './loader-options.js';
import { sampleLoader } from './sample-loader.js';
import { sharedLoader } from './share.js';
import { oneByOne, streamLoader } from './stream-loader.js';
import { tableLoader } from './table-loader.js';

type Options = DataLoaderOptions;

/** The loader for a source, by its kind. */
export function loaderOf(given: unknown, options: Options, defaults: LoaderDefaults): Loader {
  const { source, part } = given instanceof SourcePart ? given : { source: given, part: undefined };
  const kind = kindOf(source, options);
  if (kind === undefined) throw notData(source, defaults.name);
  const settings = { ...settingsOf(kind, options, defaults), part };
  refuseOptions(kind, options, settings.name);
  if (kind === 'table') return tableLoader(source as Table, settings);
  const whole = makers[kind](source as never, settings, options);
  const { share } = settings;
  const loader = share && kind !== 'indexed' ? sharedLoader(whole, share) : whole;
  const { checkData, shapes } = settings;
  // A loader that the user wrote is checked only on request.
  if (checkData === false || (kind === 'loader' && checkData === 'host')) return loader;
  return checkedLoader(loader, { read: checkData === true, outputs: shapes.model?.outputs });
}

type Kind = 'loader' | 'table' | 'csv' | 'indexed' | 'samples' | 'array' | 'batches';

const makers: Record<
  Exclude<Kind, 'table'>,
  (source: never, settings: LoaderSettings, options: Options) => Loader
> = {
  loader: (source: Loader) => source,
  csv: (source: CsvSource, settings) => sampleLoader(source.stream(), settings),
  indexed: (source: IndexedSamples<unknown>, settings, options) =>
    indexedLoader(source, collationOf(options, !Array.isArray(source)), settings),
  samples: (source: StreamSource<unknown>, settings, options) =>
    sampleLoader(
      {
        ...collationOf(options, true),
        open: (epoch) => oneByOne(openStream(source, settings.name, epoch)),
        count: sizeOfDataset(source),
        nothing: () => nothingIn(source, settings.name),
      },
      settings,
    ),
  array: (source: (Batch | Table)[], settings) => arrayLoader(source, settings),
  batches: (source: StreamSource<Batch | Table>, settings) => streamLoader(source, settings),
};

function kindOf(source: unknown, { samples, collate }: Options): Kind | undefined {
  if (isLoader(source)) return 'loader';
  if (isCsv(source)) return 'csv';
  if (isTable(source)) return 'table';
  if (samples || collate) {
    if (isIndexed(source) && typeof source !== 'function') return 'indexed';
    return isStreamSource(source) ? 'samples' : undefined;
  }
  if (Array.isArray(source)) return 'array';
  // Nothing else has both: no need to say that it holds samples.
  if (typeof source === 'object' && !ArrayBuffer.isView(source) && isIndexed(source)) return 'indexed';
  return isStreamSource(source) ? 'batches' : undefined;
}

function isLoader(source: unknown): source is Loader {
  return typeof (Object(source) as Partial<Loader>).epoch === 'function';
}

function isTable(source: unknown): source is Table {
  return typeof source === 'object' && source !== null && 'xs' in source;
}

export function isOneSource(data: unknown): boolean {
  return kindOf(data, {}) !== undefined;
}

function hasNumbers(kind: Kind): boolean {
  return kind === 'table' || kind === 'indexed';
}

/** Refuses a source of which no part can be taken. */
export function requireNumbers(source: unknown, options: Options, name: string): void {
  if (source instanceof SourcePart) return;
  const kind = kindOf(source, options);
  if (kind === undefined) throw notData(source, options.name ?? 'data');
  if (!hasNumbers(kind)) throw cannotBeSplit(name, REFUSED[kind].words);
}

function settingsOf(kind: Kind, options: Options, defaults: LoaderDefaults): Omit<LoaderSettings, 'part'> {
  const { name = defaults.name } = options;
  const shuffle = !defaults.inOrder && (options.shuffle ?? (defaults.shuffle && hasNumbers(kind)));
  return {
    name,
    batchSize: options.batchSize ?? defaults.batchSize,
    shuffle,
    shuffleBuffer: options.shuffleBuffer,
    // By name, so that loaders of equal size do not share one order.
    seed: options.seed ?? deriveSeed(defaults.seed, name),
    dropLast: options.dropLast ?? false,
    prefetch: options.prefetch,
    checkData: options.checkData ?? (defaults.checkData ? 'host' : false),
    shapes: { columns: options.shapes, model: defaults.shapes },
    share: defaults.share,
  };
}

/** Tensors in samples of an array remain the user's; those from other sources were made for us. */
function collationOf({ collate }: Options, owned: boolean): Collation<unknown> {
  return {
    collate: collate ?? (stackSamples as Collate<unknown>),
    owned,
  };
}

/** Options that would do nothing are refused: whoever sets one expects an effect. */
const REFUSED: Record<Kind, { words: string; why?: string; options: readonly (keyof Options)[] }> = {
  loader: {
    words: 'a loader you wrote yourself',
    why: ', which decides that',
    options: [
      'name',
      'batchSize',
      'dropLast',
      'shuffle',
      'shuffleBuffer',
      'seed',
      'samples',
      'collate',
      'shapes',
    ],
  },
  table: { words: 'a table', options: ['shuffleBuffer', 'samples', 'collate'] },
  csv: { words: 'a CSV file', why: ', whose rows are grouped anyway', options: ['samples', 'collate'] },
  indexed: { words: 'samples that have numbers', options: ['shuffleBuffer'] },
  samples: { words: 'a stream of samples', options: [] },
  array: {
    words: 'batches in an array',
    why: '. Add samples: true if each item is one sample',
    options: ['batchSize', 'dropLast', 'shuffleBuffer', 'prefetch'],
  },
  batches: {
    words: 'a stream of whole batches',
    why: '. Add samples: true if each item is one sample',
    options: ['batchSize', 'dropLast'],
  },
};

function refuseOptions(kind: Kind, options: Options, name: string): void {
  const { words, why = '', options: refused } = REFUSED[kind];
  const useless = refused.find((key) => options[key] !== undefined);
  if (useless === undefined) return;
  throw dataError(
    'BAD_OPTIONS',
    `new DataLoader(): ${useless} has no effect on loader "${name}", whose source is ${words}${why}.`,
  );
}

function notData(source: unknown, name: string): Error {
  return dataError(
    'BAD_DATA',
    `The data of loader "${name}" is ${source === null ? 'null' : typeof source}. Expected { xs, ys }, an array of batches, an (async) iterable of batches, a function that returns one, a tf.data dataset, csv(file), or a DataLoader.`,
  );
}

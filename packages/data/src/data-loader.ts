import type { Batch } from '@hookline/hook-api';
import { checkKeys } from '@hookline/hook-api/helpers';
import type { Collate } from './batch/collate.js';
import { dataError } from './errors.js';
import { Feed } from './feed/feed.js';
import type { FeedState } from './feed/feed-state.js';
import type { IndexedSamples } from './loaders/indexed-loader.js';
import type { Loader } from './loaders/loader.js';
import { loaderOf } from './loaders/loader-of.js';
import type { Source } from './loaders-of.js';
import type { StreamSource } from './streams/stream.js';
import type { SampleShapes } from './table/sample-shapes.js';
import type { ColumnShapes } from './table/table.js';

export interface DataLoaderOptions<Item = unknown> {
  /** In events, errors and logs; where several loaders are given by name, that name holds. */
  name?: string;
  /** Samples in a batch; what `fit` says when absent, else 32. */
  batchSize?: number;
  /** Leaves out the last batch of an epoch when it is not full. */
  dropLast?: boolean;
  /**
   * A new order each epoch, the same for the same seed. Where samples have numbers, `fit` says when absent: it shuffles
   * training data. A stream is shuffled only when this is set, within `shuffleBuffer`.
   */
  shuffle?: boolean;
  /** Items of a stream that are held to be shuffled: 1,024 samples or 16 batches when absent. */
  shuffleBuffer?: number;
  /** Of the order; the run's when absent. */
  seed?: number;
  /** Batches that are prepared while the step runs; 1 when absent where they are awaited, 0 where not. */
  prefetch?: number;
  /** The source gives single samples, to be grouped into batches. */
  samples?: boolean;
  /** Makes a batch of several samples, of any form; `{ xs, ys, weights }` are put on top of each other without it. */
  collate?: Collate<Item>;
  /** Shapes of samples in typed arrays, by column (`xs`, `xs/image`, `ys`); the model's when absent. */
  shapes?: ColumnShapes;
  /**
   * Refuses values that are not finite and labels that are no class, in the first epoch. When absent, what is in this
   * process's memory is looked at, unless `nonFiniteLoss` says what to do; `true`: tensors are read from a device too.
   */
  checkData?: boolean;
}

/** What the run decides where the loader does not. */
export interface LoaderDefaults {
  name: string;
  batchSize: number;
  /** For samples that have numbers. */
  shuffle: boolean;
  /** Nothing is shuffled, whatever the loader says. */
  inOrder?: boolean;
  seed: number;
  /** Looks at values in this process's memory. */
  checkData?: boolean;
  shapes: SampleShapes | undefined;
}

const KEYS: readonly (keyof DataLoaderOptions)[] = [
  'name',
  'batchSize',
  'dropLast',
  'shuffle',
  'shuffleBuffer',
  'seed',
  'prefetch',
  'samples',
  'collate',
  'shapes',
  'checkData',
];

/**
 * Batches from tensors, typed arrays, nested arrays or objects of them, from samples by number, generators, async
 * iterables, `tf.data` datasets and CSV files. Give it to `fit`, or iterate over it in a loop of your own.
 */
export class DataLoader<Item = unknown> {
  readonly #source: unknown;
  // Without Item: a loader is a loader, whatever its samples are.
  readonly #options: DataLoaderOptions;
  /** For loops of your own. */
  #feed: Feed | undefined;

  constructor(
    source: Source | StreamSource<Item> | IndexedSamples<Item>,
    options: DataLoaderOptions<Item> = {},
  ) {
    checkKeys(options, KEYS, 'new DataLoader()');
    for (const key of ['batchSize', 'shuffleBuffer'] as const) checkCount(key, options[key], 1);
    checkCount('prefetch', options.prefetch, 0);
    this.#source = source;
    this.#options = options as DataLoaderOptions;
  }

  /** The loader for one run; the trainer calls it. */
  forRun(defaults: LoaderDefaults): Loader {
    return loaderOf(this.#source, this.#options, defaults);
  }

  /**
   * The rest of the current epoch: all of it, unless it was left early or `loadState` went to a place within. The
   * batches are yours: dispose them.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Batch, void> {
    const feed = this.#opened();
    for await (const { batch } of feed.epoch(feed.saveState().epoch)) {
      feed.commit();
      yield batch;
    }
    feed.commitEpoch();
  }

  /** Where your own loop stands: after the last batch it got. A fit keeps its own position, in its checkpoints. */
  saveState(): FeedState {
    return this.#opened().saveState();
  }

  /** Goes on at a saved place: the next batch is the one after it. */
  loadState(state: FeedState): void {
    if (this.#opened().resume(state)) return;
    throw dataError(
      'CHECKPOINT_MISMATCH',
      'The state is of other data, or of other options of new DataLoader(): the batch it stands at is not there. Use the data and options it was saved with.',
    );
  }

  #opened(): Feed {
    const { name = 'data', seed = 0 } = this.#options;
    this.#feed ??= new Feed([this.forRun({ name, batchSize: 32, shuffle: false, seed, shapes: undefined })]);
    return this.#feed;
  }
}

export function isDataLoader(source: unknown): source is DataLoader {
  return typeof (Object(source) as Partial<DataLoader>).forRun === 'function';
}

function checkCount(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= least)) return;
  throw dataError(
    'BAD_OPTIONS',
    `new DataLoader(): ${name} is ${value}, expected a whole number of at least ${least}.`,
  );
}

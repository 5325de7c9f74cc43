import type { Batch } from '@hookline/hook-api';
import { checkKeys } from '@hookline/hook-api/helpers';
import { dataError } from './errors.js';
import { Feed } from './feed/feed.js';
import type { FeedState } from './feed/feed-state.js';
import type { IndexedSamples } from './loaders/indexed-loader.js';
import type { Loader } from './loaders/loader.js';
import { loaderOf, requireNumbers } from './loaders/loader-of.js';
import { DATA_LOADER_KEYS, type DataLoaderOptions, type LoaderDefaults } from './loaders/loader-options.js';
import type { LoaderForRun, Source } from './sources.js';
import { type Part, SourcePart } from './split/part.js';
import type { StreamSource } from './streams/stream.js';

/**
 * Batches from tensors, typed arrays, nested arrays or objects of them, from samples by number, generators, async
 * iterables, `tf.data` datasets and CSV files. Give it to `fit`, or iterate over it in a loop of your own.
 */
export class DataLoader<Item = unknown> implements LoaderForRun {
  readonly #source: unknown;
  // Without Item: a loader is a loader, whatever its samples are.
  readonly #options: DataLoaderOptions;
  /** For loops of your own. */
  #feed: Feed | undefined;

  constructor(
    source: Source | StreamSource<Item> | IndexedSamples<Item>,
    options: DataLoaderOptions<Item> = {},
  ) {
    checkKeys(options, DATA_LOADER_KEYS, 'new DataLoader()', FOREIGN);
    for (const key of ['batchSize', 'shuffleBuffer'] as const) checkCount(key, options[key], 1);
    checkCount('prefetch', options.prefetch, 0);
    this.#source = source;
    this.#options = options as DataLoaderOptions;
  }

  /** The loader for one run; the trainer calls it. */
  forRun(defaults: LoaderDefaults): Loader {
    return loaderOf(this.#source, this.#options, defaults);
  }

  /** A loader of some of its samples; `splitData` and `kFold` call it. */
  part(part: Part, name: string, options: Pick<DataLoaderOptions, 'shuffle' | 'dropLast'> = {}): DataLoader {
    requireNumbers(this.#source, this.#options, name);
    return new DataLoader(SourcePart.of(this.#source, part) as never, { ...this.#options, ...options });
  }

  /**
   * The rest of the current epoch: all of it, unless the last loop left it early or `loadState` moved into it. The
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

  /** The position of your own loop, after the last batch it received. `fit` saves its position in its checkpoints. */
  saveState(): FeedState {
    return this.#opened().saveState();
  }

  /** Continues at a saved position: the next batch is the one after it. */
  loadState(state: FeedState): void {
    if (this.#opened().resume(state)) return;
    throw dataError(
      'CHECKPOINT_MISMATCH',
      'The saved state belongs to different data, or to different options of new DataLoader(), so the batch it points to does not exist. Use the data and options it was saved with.',
    );
  }

  #opened(): Feed {
    const { name = 'data', seed = 0 } = this.#options;
    this.#feed ??= new Feed([this.forRun({ name, batchSize: 32, shuffle: false, seed, shapes: undefined })]);
    return this.#feed;
  }
}

const FOREIGN = {
  collateFn: 'Did you mean "collate"?',
  numWorkers: 'Did you mean "prefetch"? It prepares batches while the step runs.',
  prefetchFactor: 'Did you mean "prefetch"?',
  bufferSize: 'Did you mean "shuffleBuffer"?',
  dropRemainder: 'Did you mean "dropLast"?',
  sampler: 'Give the samples in your order, or set shuffle and seed.',
  pinMemory: 'Leave it out: there is nothing to pin.',
};

function checkCount(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= least)) return;
  throw dataError(
    'BAD_OPTIONS',
    `new DataLoader(): ${name} is ${typeof value === 'string' ? JSON.stringify(value) : value}, expected a whole number of at least ${least}.`,
  );
}

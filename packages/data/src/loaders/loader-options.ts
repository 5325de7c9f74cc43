import type { Collate } from '../batch/collate.js';
import type { Part } from '../split/part.js';
import type { ColumnShapes, SampleShapes, ShapeHints } from '../table/shapes.js';
import type { Share } from './share.js';

export interface DataLoaderOptions<Item = unknown> {
  /** The name in events, errors and logs. Where several loaders are given by name, that name is used instead. */
  name?: string;
  /** Samples in a batch; by default what `fit` says, else 32. */
  batchSize?: number;
  /** Leaves out the last batch of an epoch when it is not full. */
  dropLast?: boolean;
  /**
   * A new order each epoch, the same for the same seed. By default `fit` decides for samples that have numbers: it
   * shuffles training data. A stream is shuffled only when this is set, within `shuffleBuffer`.
   */
  shuffle?: boolean;
  /** How many items of a stream are held for shuffling; default 1,024 samples or 16 batches. */
  shuffleBuffer?: number;
  /** The seed of the order; by default that of the run. */
  seed?: number;
  /** Batches that are prepared while the step runs; default 1 where batches are awaited, else 0. */
  prefetch?: number;
  /** The source gives single samples, to be grouped into batches. */
  samples?: boolean;
  /** Makes a batch of several samples, whatever they are. Without it, `{ xs, ys, weights }` are stacked. */
  collate?: Collate<Item>;
  /** Shapes of samples in typed arrays, by column (`xs`, `xs/image`, `ys`); by default those of the model. */
  shapes?: ColumnShapes;
  /**
   * Refuses values that are not finite and labels that are not a class, in the first epoch. By default values in this
   * process's memory are checked, unless `nonFiniteLoss` says what to do; `true` also reads tensors from a device.
   */
  checkData?: boolean;
}

export const DATA_LOADER_KEYS: readonly (keyof DataLoaderOptions)[] = [
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

/** What the run decides where the loader's own options do not. */
export interface LoaderDefaults {
  name: string;
  batchSize: number;
  /** Applies to samples that have numbers. */
  shuffle: boolean;
  /** Nothing is shuffled, whatever the loader says. */
  inOrder?: boolean;
  seed: number;
  /** Whether values in this process's memory are checked. */
  checkData?: boolean;
  shapes: SampleShapes | undefined;
  /** Of each batch; all of it when absent. */
  share?: Share | undefined;
}

/** Everything decided: by the loader's own options, else by the run, else by default. */
export interface LoaderSettings {
  name: string;
  batchSize: number;
  shuffle: boolean;
  /** Undefined: the default of the kind of stream. */
  shuffleBuffer: number | undefined;
  seed: number;
  dropLast: boolean;
  /** Undefined: 1 where batches are awaited, else 0. */
  prefetch: number | undefined;
  /** `host`: values in this process's memory; `true`: also those on a device. */
  checkData: boolean | 'host';
  shapes: ShapeHints;
  /** Undefined: all samples. */
  part?: Part | undefined;
  share?: Share | undefined;
}

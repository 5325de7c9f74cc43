import type { ShapeHints } from '../table/table.js';

/** What a loader is to do, everything decided: by the loader's own options, else by the fit, else by default. */
export interface LoaderSettings {
  name: string;
  batchSize: number;
  shuffle: boolean;
  /** Items of a stream that are held to be shuffled; undefined for the default of its kind. */
  shuffleBuffer: number | undefined;
  seed: number;
  dropLast: boolean;
  /** Undefined: 1 where batches are awaited, 0 where not. */
  prefetch: number | undefined;
  /** `host`: values that are in this process's memory; `true`: those on a device too. */
  checkData: boolean | 'host';
  shapes: ShapeHints;
}

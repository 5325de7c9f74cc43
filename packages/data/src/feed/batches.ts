import type { Batch } from '@hookline/hook-api';
import type { Loader } from '../loaders/loader.js';
import { Feed } from './feed.js';

/** A batch with where it came from. */
export interface LoadedBatch {
  batch: Batch;
  batchIndex: number;
  loaderIndex: number;
  loaderName: string;
  /** Disposed by the trainer after use. */
  owned: boolean;
}

/** The batches of an epoch, loader after loader. */
export function batchesOf(loaders: readonly Loader[], epoch: number): AsyncGenerator<LoadedBatch, void> {
  return new Feed(loaders).epoch(epoch);
}

/** How many batches an epoch has, when every loader can tell. */
export function batchCount(loaders: readonly Loader[]): number | undefined {
  return new Feed(loaders).batches;
}

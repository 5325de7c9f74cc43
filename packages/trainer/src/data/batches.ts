import type { Batch } from '@hookline/hook-api';
import type { Loader } from './loader.js';

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
export async function* batchesOf(
  loaders: readonly Loader[],
  epoch: number,
): AsyncGenerator<LoadedBatch, void> {
  let batchIndex = 0;
  for (const [loaderIndex, loader] of loaders.entries()) {
    for await (const batch of loader.epoch(epoch)) {
      yield { batch, batchIndex: batchIndex++, loaderIndex, loaderName: loader.name, owned: loader.owned };
    }
  }
}

/** How many batches an epoch has, when every loader can tell. */
export function batchCount(loaders: readonly Loader[]): number | undefined {
  return loaders.reduce<number | undefined>(
    (total, { batches }) => (total === undefined || batches === undefined ? undefined : total + batches),
    0,
  );
}

import type { Batch } from '@hookline/hook-api';
import { deriveSeed } from '@hookline/numerics';
import { toBatch } from '../batch/to-batch.js';
import { dataIn } from '../table/fingerprint.js';
import type { Table } from '../table/table.js';
import type { Loader } from './loader.js';
import type { LoaderSettings } from './loader-options.js';
import { permutation } from './permutation.js';

/** Batches in an array. They are used again in the next epoch, so their tensors remain the user's. */
export function arrayLoader(items: readonly (Batch | Table)[], settings: LoaderSettings): Loader {
  const { name, shuffle, seed } = settings;
  // Batches given as numbers become new tensors each time, which are ours.
  const made = new WeakSet<Batch>();
  return {
    name,
    batches: items.length,
    owned: (batch) => made.has(batch),
    seek: 'jump',
    prefetch: 0,
    order: { batches: items.length, ...dataIn(items), ...(shuffle && { seed }) },
    *epoch(epoch, start = 0) {
      let index = 0;
      for (const given of shuffle ? shuffled(items, deriveSeed(seed, epoch)) : items) {
        if (index++ < start) continue;
        const batch = toBatch(given, index - 1, settings);
        if (batch !== given) made.add(batch);
        yield batch;
      }
    },
  };
}

function* shuffled<Item>(items: readonly Item[], seed: number): Generator<Item, void> {
  const order = permutation(items.length, seed);
  for (let index = 0; index < items.length; index++) yield items[order(index)]!;
}

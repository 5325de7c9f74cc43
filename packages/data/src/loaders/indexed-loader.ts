import { deriveSeed } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { type Collation, collateBatch } from '../batch/collate.js';
import { tensorsIn } from '../batch/tensors-in.js';
import { dataError } from '../errors.js';
import { dataIn } from '../table/fingerprint.js';
import type { Loader } from './loader.js';
import type { LoaderSettings } from './loader-options.js';
import { permutation } from './permutation.js';
import { asPadding, rowsOfShare } from './share.js';
import { batchesIn } from './table-loader.js';

/** Samples by number, such as files that are read when they are needed. An array is one, too. */
export interface IndexedSamples<Item> {
  readonly length: number;
  at(index: number): Item | undefined | Promise<Item>;
}

export function isIndexed(source: unknown): source is IndexedSamples<unknown> {
  const { length, at } = Object(source) as Partial<IndexedSamples<unknown>>;
  return typeof length === 'number' && typeof at === 'function';
}

/** Batches of samples that are fetched by number, those of a batch at the same time. */
export function indexedLoader<Item>(
  whole: IndexedSamples<Item>,
  collation: Collation<Item>,
  settings: LoaderSettings,
): Loader {
  const { name, batchSize, dropLast, shuffle, seed, prefetch, part, share } = settings;
  if (whole.length === 0) {
    throw dataError('BAD_DATA', `The data of loader "${name}" is empty: it has 0 samples.`);
  }
  const source = part ? partOfSamples(whole, part.rows(whole.length, name)) : whole;
  const count = source.length;
  const batches = batchesIn(count, settings);
  return {
    name,
    batches,
    owned: true,
    seek: 'jump',
    prefetch: prefetch ?? (Array.isArray(whole) ? 0 : 1),
    order: {
      ...{ samples: count, batchSize, dropLast },
      // Samples that are not in memory would have to be read for it.
      ...(Array.isArray(whole) && dataIn(whole)),
      ...(shuffle && { seed }),
      ...(part && { part: part.id }),
    },
    async *epoch(epoch, start = 0) {
      const order = shuffle ? permutation(count, deriveSeed(seed, epoch)) : (index: number) => index;
      for (let index = start; index < batches; index++) {
        const first = index * batchSize;
        const size = Math.min(batchSize, count - first);
        const own = share ? rowsOfShare(size, share) : { from: 0, size };
        // Padding has a row, too.
        const length = Math.max(1, own.size);
        const begin = first + (own.size === 0 ? 0 : own.from);
        const numbers = Array.from({ length }, (_, position) => order(begin + position));
        const items = await fetchAll(source, numbers, collation.owned);
        const batch = await collateBatch(items, index, collation, settings);
        yield own.size === 0 ? asPadding(batch) : batch;
      }
    },
  };
}

function partOfSamples<Item>(whole: IndexedSamples<Item>, rows: Int32Array): IndexedSamples<Item> {
  return { length: rows.length, at: (index) => whole.at(rows[index]!) };
}

/** All of them, or the first failure; then the samples that did arrive are disposed. */
async function fetchAll<Item>(
  source: IndexedSamples<Item>,
  numbers: readonly number[],
  owned: boolean,
): Promise<Item[]> {
  const outcomes = await Promise.allSettled(numbers.map(async (number) => source.at(number) as Item));
  const failed = outcomes.findIndex(({ status }) => status === 'rejected');
  if (failed < 0) return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<Item>).value);
  if (owned) tf.dispose(outcomes.flatMap((outcome) => ('value' in outcome ? tensorsIn(outcome.value) : [])));
  throw (outcomes[failed] as PromiseRejectedResult).reason;
}

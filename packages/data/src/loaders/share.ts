import type { Batch } from '@hookline/hook-api';
import { isTensor, mapTree } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { tensorsIn } from '../batch/tensors-in.js';
import { isAsync } from '../streams/stream.js';
import { isOwned, type Loader } from './loader.js';

/**
 * Which part of each batch is read here, where several processes train together. The batches, their order and their
 * number are the same in all of them; each takes its own rows.
 */
export interface Share {
  /** From 0. */
  readonly rank: number;
  /** How many processes there are. */
  readonly world: number;
}

/** The rows of a share: of a batch that has fewer samples than there are processes, some have none. */
export function rowsOfShare(samples: number, { rank, world }: Share): { from: number; size: number } {
  const from = Math.floor((rank * samples) / world);
  return { from, size: Math.floor(((rank + 1) * samples) / world) - from };
}

/** Shares without samples. A model computes nothing from no rows, so they hold one row that must not count. */
const padding = new WeakSet<Batch>();

/** Whether a batch is there only because its process has no sample of the whole batch. */
export function isPadding(batch: Batch): boolean {
  return padding.has(batch);
}

/** The batch of these rows, or padding where there are none. */
export function shareOfRows(
  samples: number,
  share: Share,
  take: (from: number, size: number) => Batch,
): Batch {
  const { from, size } = rowsOfShare(samples, share);
  if (size > 0) return take(from, size);
  return asPadding(take(0, 1));
}

export function asPadding(batch: Batch): Batch {
  padding.add(batch);
  return batch;
}

/** A loader that gives the share of each batch of another, which is read as a whole. */
export function sharedLoader(loader: Loader, share: Share): Loader {
  const cut = (batch: Batch): Batch => {
    const first = tensorsIn(batch).find(isTensor);
    const part = shareOfRows(first?.shape[0] ?? 1, share, (from, size) => rowsOfBatch(batch, from, size));
    if (isOwned(loader, batch)) tf.dispose(tensorsIn(batch));
    return part;
  };
  return {
    // One by one: a loader that somebody wrote may be an instance of a class.
    name: loader.name,
    batches: loader.batches,
    owned: true,
    ...(loader.seek && { seek: loader.seek }),
    prefetch: loader.prefetch,
    ...(loader.order && { order: loader.order }),
    epoch(epoch, start) {
      const batches = loader.epoch(epoch, start);
      return isAsync(batches) ? mappedLater(batches, cut) : mapped(batches, cut);
    },
  };
}

function rowsOfBatch({ xs, ys, weights }: Batch, from: number, size: number): Batch {
  const rows = (tensor: tf.Tensor) => tf.slice(tensor, [from], [size]);
  return {
    xs: mapTree(xs, rows),
    ...(ys && { ys: mapTree(ys, rows) }),
    ...(weights && { weights: mapTree(weights, rows) }),
  };
}

function* mapped(batches: Iterable<Batch>, cut: (batch: Batch) => Batch): Generator<Batch, void> {
  for (const batch of batches) yield cut(batch);
}

async function* mappedLater(
  batches: AsyncIterable<Batch>,
  cut: (batch: Batch) => Batch,
): AsyncGenerator<Batch, void> {
  for await (const batch of batches) yield cut(batch);
}

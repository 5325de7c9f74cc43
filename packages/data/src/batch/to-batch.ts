import type { Batch } from '@hookline/hook-api';
import { isTensor } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { withoutXs } from '../errors.js';
import type { ShapeHints } from '../table/shapes.js';
import { rowsOf, type Table, wholeOf } from '../table/table.js';
import { tensorsIn } from './tensors-in.js';

/** What a batch needs to know of its loader. */
export type BatchContext = Readonly<{ name: string; shapes: ShapeHints }>;

/** What the user gave as a batch, as tensors: the same object where it already is one, else a new batch. */
export function toBatch(given: Batch | Table, index: number, { name, shapes }: BatchContext): Batch {
  if (typeof given !== 'object' || given === null || !('xs' in given)) throw withoutXs(name, index);
  if (isTensorBatch(given)) return given;
  return wholeOf(rowsOf(given, name, shapes));
}

/** The same for a batch that is ours: tensors that the result does not hold are disposed, also when it fails. */
export function takeBatch(given: Batch | Table, index: number, settings: BatchContext): Batch {
  let batch: Batch | undefined;
  try {
    batch = toBatch(given, index, settings);
    return batch;
  } finally {
    if (batch !== given) tf.dispose(tensorsIn(given));
  }
}

/** A batch is flat: tensors in nested records are not one yet. */
export function isTensorBatch(batch: Batch | Table): batch is Batch {
  const { xs, ys, weights } = batch;
  return [xs, ys, weights].every(
    (part) =>
      part === undefined ||
      isTensor(part) ||
      (!ArrayBuffer.isView(part) && Object.values(part).every(isTensor)),
  );
}

import type { HooklineError } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { activationsError } from '../errors.js';

/** Some positions along an axis, such as heads or tokens. Negative numbers count from the end. */
export interface Slice {
  axis: number;
  index: number | readonly number[];
}

/** A part of an activation: the positions of a slice, or where several slices meet. */
export type Part = Slice | readonly Slice[];

/** `changed` where the part is, `original` elsewhere; all of `changed` without a part. Gradients flow through both. */
export function replacePart(
  path: string,
  original: tf.Tensor,
  changed: tf.Tensor,
  part: Part | undefined,
): tf.Tensor {
  if (part === undefined) return changed;
  const slices = Array.isArray(part) ? (part as readonly Slice[]) : [part as Slice];
  const masks = slices.map((slice) => maskOf(path, original.shape, slice));
  const mask = masks.reduce((a, b) => tf.logicalAnd(a, b));
  return tf.where(mask, changed, original);
}

function maskOf(path: string, shape: readonly number[], { axis, index }: Slice): tf.Tensor {
  const at = axis < 0 ? shape.length + axis : axis;
  const size = shape[at];
  if (size === undefined) throw outside(path, shape, `no axis ${axis}`);
  const chosen = new Uint8Array(size);
  for (const each of [index].flat() as number[]) {
    const position = each < 0 ? size + each : each;
    if (!(position in chosen)) throw outside(path, shape, `no position ${each} along axis ${axis}`);
    chosen[position] = 1;
  }
  return tf.tensor(
    chosen,
    shape.map((_, dimension) => (dimension === at ? size : 1)),
    'bool',
  );
}

function outside(path: string, shape: readonly number[], what: string): HooklineError {
  return activationsError(
    'NO_SUCH_PART',
    `The activation of "${path}" has shape [${shape.join(', ')}] and ${what}.`,
  );
}

import { isTensor } from '@hookline/numerics';
import type * as tf from '@tensorflow/tfjs-core';

/** The tensors in what a user's source gave, in any form. Arrays of numbers are not searched one by one. */
export function tensorsIn(value: unknown): tf.Tensor[] {
  if (isTensor(value)) return [value];
  if (Array.isArray(value)) return typeof value[0] === 'object' ? value.flatMap(tensorsIn) : [];
  if (!isPlainObject(value)) return [];
  return Object.values(value).flatMap(tensorsIn);
}

/** Other objects, such as a file or a connection, keep what they hold. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

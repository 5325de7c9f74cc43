import * as tf from '@tensorflow/tfjs-core';
import type { NumberArray } from './columns.js';
import { copiesValues } from './host-values.js';

/** Values in a row from which on one call to copy it costs less than its values one by one. */
const WIDE = 32;

/** Copies rows of values into tensors. */
export interface RowCopier {
  slice(values: NumberArray, start: number, size: number): tf.Tensor;
  gather(values: NumberArray, indices: Int32Array): tf.Tensor;
}

/** Makes tensors of rows: of shape [rows, ...shape], `int32` where the values are, else `float32`. */
export function rowCopier(shape: readonly number[]): RowCopier {
  const width = tf.util.sizeFromShape([...shape]);
  let scratch: Float32Array | Int32Array = new Float32Array(0);
  /** An array for a batch: the same one again where the backend takes a copy of it anyway. */
  const room = (values: NumberArray, rows: number) => {
    const Values = values instanceof Int32Array ? Int32Array : Float32Array;
    if (!copiesValues()) return new Values(rows * width);
    if (!(scratch instanceof Values && scratch.length >= rows * width)) scratch = new Values(rows * width);
    return scratch.subarray(0, rows * width);
  };
  const make = (values: Float32Array | Int32Array, rows: number) =>
    tf.tensor(values, [rows, ...shape], values instanceof Int32Array ? 'int32' : 'float32');
  return {
    slice: (values, start, size) => {
      const picked = room(values, size);
      picked.set(values.subarray(start * width, (start + size) * width));
      return make(picked, size);
    },
    gather: (values, indices) => {
      const picked = room(values, indices.length);
      for (let row = 0; row < indices.length; row++) {
        const [from, to] = [indices[row]! * width, row * width];
        if (width >= WIDE) picked.set(values.subarray(from, from + width), to);
        else for (let index = 0; index < width; index++) picked[to + index] = values[from + index]!;
      }
      return make(picked, indices.length);
    },
  };
}

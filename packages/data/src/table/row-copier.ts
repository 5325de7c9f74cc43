import * as tf from '@tensorflow/tfjs-core';
import { filledTensor } from '../filled-tensor.js';
import type { NumberArray } from './columns.js';

/** Values in a row from which on one call to copy it costs less than its values one by one. */
const WIDE = 32;

/** Copies rows of values into tensors. The values are asked for when the tensor has its place: that may move them. */
export interface RowCopier {
  slice(values: () => NumberArray, start: number, size: number): tf.Tensor;
  gather(values: () => NumberArray, indices: Int32Array): tf.Tensor;
}

/** Makes tensors of rows: of shape [rows, ...shape], `int32` where the values are, else `float32`. */
export function rowCopier(shape: readonly number[], dtype: 'float32' | 'int32'): RowCopier {
  const width = tf.util.sizeFromShape([...shape]);
  return {
    slice: (values, start, size) =>
      filledTensor([size, ...shape], dtype, (into) => {
        into.set(values().subarray(start * width, (start + size) * width));
      }),
    gather: (values, indices) =>
      filledTensor([indices.length, ...shape], dtype, (into) => {
        const all = values();
        for (let row = 0; row < indices.length; row++) {
          const [from, to] = [indices[row]! * width, row * width];
          if (width >= WIDE) into.set(all.subarray(from, from + width), to);
          else for (let index = 0; index < width; index++) into[to + index] = all[from + index]!;
        }
      }),
  };
}

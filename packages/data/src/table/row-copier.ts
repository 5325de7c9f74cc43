import { filledTensor } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import type { NumberArray } from './number-array.js';

/** From this many values on, copying a row with one call costs less than copying its values one by one. */
const WIDE = 32;

/** Copies rows into tensors. The values are requested after the tensor is allocated, because that may move them. */
export interface RowCopier {
  slice(values: () => NumberArray, start: number, size: number): tf.Tensor;
  gather(values: () => NumberArray, indices: Int32Array): tf.Tensor;
}

/** Makes tensors of shape [rows, ...shape]. */
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

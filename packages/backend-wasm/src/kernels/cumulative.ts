import * as tf from '@tensorflow/tfjs-core';
import { sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

interface CumulativeAttrs {
  axis: number;
  exclusive: boolean;
  reverse: boolean;
}

/** Stock goes along the wrong axis when its number is negative. */
export const CUMULATIVE_KERNELS: readonly TrainingKernel[] = [
  cumulative(tf.Cumsum, 0, (total, value) => total + value),
  cumulative(tf.Cumprod, 1, (total, value) => total * value),
];

function cumulative(
  name: string,
  start: number,
  join: (total: number, value: number) => number,
): TrainingKernel {
  return kernel<{ x: Tensor }, CumulativeAttrs>(
    name,
    'corrected',
    (context, { x }, { axis, exclusive, reverse }) => {
      if (x.shape.length === 0 || (x.dtype !== 'float32' && x.dtype !== 'int32')) return undefined;
      const [along] = tf.util.parseAxisParam(axis, x.shape) as [number];
      const length = x.shape[along]!;
      const inner = tf.util.sizeFromShape(x.shape.slice(along + 1));
      const out = context.output(x.shape, x.dtype);
      const from = context.backend.typedArrayFromHeap(x);
      const to = context.backend.typedArrayFromHeap(out);
      const lines = length === 0 ? 0 : sizeOf(x) / length;
      const step = reverse ? -inner : inner;
      for (let line = 0; line < lines; line++) {
        let at =
          Math.floor(line / inner) * length * inner + (line % inner) + (reverse ? (length - 1) * inner : 0);
        let total = start;
        for (let i = 0; i < length; i++, at += step) {
          const next = join(total, from[at]!);
          to[at] = exclusive ? total : next;
          // Rounded like the result, because the next element is made from it.
          total = x.dtype === 'float32' ? Math.fround(next) : next | 0;
        }
      }
      return out;
    },
  );
}

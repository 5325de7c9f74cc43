import * as tf from '@tensorflow/tfjs-core';
import { areFloats, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

export const CHOOSE_KERNELS: readonly TrainingKernel[] = [
  // Stock writes 4 bytes for each boolean, past the end of the result.
  kernel<{ condition: Tensor; t: Tensor; e: Tensor }>(
    tf.Select,
    'corrected',
    (context, { condition, t, e }) => {
      const isSame = tf.util.arraysEqual(condition.shape, t.shape) && condition.dtype === 'bool';
      if (!isSame || t.dtype !== e.dtype) return undefined;
      const out = context.output(t.shape, t.dtype);
      if (t.dtype === 'bool') {
        const [chosen, yes, no, to] = [condition, t, e, out].map((each) =>
          context.backend.typedArrayFromHeap(each),
        );
        for (let i = 0; i < to!.length; i++) to![i] = (chosen![i] ? yes : no)![i]!;
        return out;
      }
      const [c, a, b] = context.addresses(condition, t, e);
      context.module.select(c, a, b, context.address(out), sizeOf(out));
      return out;
    },
  ),

  // Stock copies the low byte of a number that becomes a boolean: 0.5 and 256 become false.
  kernel<{ x: Tensor }, { dtype: tf.DataType }>(tf.Cast, 'corrected', (context, { x }, { dtype }) => {
    if (x.dtype === dtype && dtype !== 'string') return context.alias(x, x.shape);
    const convert = `${x.dtype}>${dtype}`;
    const { module } = context;
    const conversions: Readonly<Record<string, (from: number, to: number, n: number) => void>> = {
      'bool>float32': module.floatsOfBytes,
      'int32>float32': module.floatsOfInts,
      'float32>bool': module.bytesOfFloats,
      'int32>bool': module.bytesOfInts,
    };
    const run = conversions[convert];
    if (!run) return undefined;
    const out = context.output(x.shape, dtype);
    run(context.address(x), context.address(out), sizeOf(x));
    return out;
  }),

  kernel<{ logits: Tensor }, { dim: number }>(tf.Softmax, 'fast', (context, { logits }, { dim }) => {
    const rank = logits.shape.length;
    if (!areFloats(logits) || rank === 0 || (dim !== -1 && dim !== rank - 1)) return undefined;
    const out = context.output(logits.shape);
    const width = logits.shape[rank - 1]!;
    if (sizeOf(out) === 0) return out;
    context.module.softmax(context.address(logits), context.address(out), sizeOf(out) / width, width);
    return out;
  }),
];

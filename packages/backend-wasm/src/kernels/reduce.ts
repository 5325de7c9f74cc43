import * as tf from '@tensorflow/tfjs-core';
import { areFloats, type KernelContext, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import type { Address } from '../module/exports.js';
import { reducePlan } from '../shapes/reduce-plan.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

interface ReduceAttrs {
  axis: number | number[];
  keepDims: boolean;
}

/** What an axis without elements gives, as in TensorFlow. Stock leaves undefined contents. */
const OF_NONE = {
  sum: () => 0,
  mean: () => Number.NaN,
  0: (dtype: tf.DataType) => ({ float32: Number.NEGATIVE_INFINITY, int32: -(2 ** 31) })[dtype as string] ?? 0,
  1: (dtype: tf.DataType) =>
    ({ float32: Number.POSITIVE_INFINITY, int32: 2 ** 31 - 1 })[dtype as string] ?? 1,
  2: () => 1,
} as const;

type Step = (
  from: Address,
  to: Address,
  outer: number,
  count: number,
  inner: number,
  isLast: boolean,
) => void;

export const REDUCE_KERNELS: readonly TrainingKernel[] = [
  kernel<{ x: Tensor }, ReduceAttrs>(tf.Sum, 'corrected', (context, { x }, { axis, keepDims }) =>
    areFloats(x) ? sumOf(context, x, axis, keepDims) : ofNone(context, x, axis, keepDims, OF_NONE.sum()),
  ),

  kernel<{ x: Tensor }, ReduceAttrs>(tf.Mean, 'corrected', (context, { x }, attrs) => {
    // Of integers too, a mean is a float.
    if (!areFloats(x)) {
      return ofNone(context, x, attrs.axis, attrs.keepDims, OF_NONE.mean(), 'float32');
    }
    const { shape, steps } = reducePlan(x.shape, attrs.axis, attrs.keepDims);
    const count = steps.reduce((product, step) => product * step.count, 1);
    return reduced(context, x, shape, steps, OF_NONE.mean(), (from, to, outer, size, inner, isLast) =>
      context.module.sum(from, to, outer, size, inner, isLast ? 1 / count : 1),
    );
  }),

  extreme(tf.Max, 0, 'reductionIndices'),
  extreme(tf.Min, 1, 'axis'),
  extreme(tf.Prod, 2, 'axis'),

  kernel<{ x: Tensor }, ReduceAttrs>(tf.Any, 'corrected', (context, { x }, { axis, keepDims }) =>
    ofNone(context, x, axis, keepDims, 0),
  ),
  kernel<{ x: Tensor }, ReduceAttrs>(tf.All, 'corrected', (context, { x }, { axis, keepDims }) =>
    ofNone(context, x, axis, keepDims, 1),
  ),
];

export function sumOf(context: KernelContext, x: Tensor, axis: number | number[], keepDims: boolean): Tensor {
  const { shape, steps } = reducePlan(x.shape, axis, keepDims);
  return reduced(context, x, shape, steps, OF_NONE.sum(), (from, to, outer, count, inner) =>
    context.module.sum(from, to, outer, count, inner, 1),
  );
}

function extreme(name: string, code: 0 | 1 | 2, axisAttribute: 'axis' | 'reductionIndices'): TrainingKernel {
  type Attrs = { keepDims: boolean } & Record<'axis' | 'reductionIndices', number | number[]>;
  return kernel<{ x: Tensor }, Attrs>(name, 'corrected', (context, { x }, attrs) => {
    const [axis, none] = [attrs[axisAttribute], OF_NONE[code](x.dtype)];
    if (!areFloats(x)) return ofNone(context, x, axis, attrs.keepDims, none);
    const { shape, steps } = reducePlan(x.shape, axis, attrs.keepDims);
    return reduced(context, x, shape, steps, none, (from, to, outer, count, inner) =>
      context.module.reduce(code, from, to, outer, count, inner),
    );
  });
}

/** The reduction of a tensor without elements; undefined where there are some, which is left to the stock kernel. */
function ofNone(
  context: KernelContext,
  x: Tensor,
  axis: number | number[],
  keepDims: boolean,
  value: number,
  dtype: tf.DataType = x.dtype,
): Tensor | undefined {
  if (sizeOf(x) > 0) return undefined;
  const out = context.output(reducePlan(x.shape, axis, keepDims).shape, dtype);
  context.backend.typedArrayFromHeap(out).fill(value);
  return out;
}

/** Step by step, from the last axes to the first; intermediate results go to scratch memory. */
function reduced(
  context: KernelContext,
  x: Tensor,
  shape: number[],
  steps: readonly { outer: number; count: number; inner: number }[],
  none: number,
  run: Step,
): Tensor {
  if (sizeOf(x) === 0) return context.filled(shape, none);
  if (steps.length === 0) return context.alias(x, shape);
  const out = context.output(shape);
  let from = context.address(x);
  for (const [i, { outer, count, inner }] of steps.entries()) {
    const isLast = i === steps.length - 1;
    // Two buffers in turn: one is read while the other is written.
    const to = isLast ? context.address(out) : context.scratch(`reduced-${i % 2}`, outer * inner);
    run(from, to, outer, count, inner, isLast);
    from = to;
  }
  return out;
}

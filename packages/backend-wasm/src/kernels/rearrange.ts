import * as tf from '@tensorflow/tfjs-core';
import { bitsOf, type KernelContext, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import { stridedCopy, stridesOf } from '../shapes/strided-copy.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

export const REARRANGE_KERNELS: readonly TrainingKernel[] = [
  // Stock copies: every clone, and every tensor that is saved for a gradient.
  kernel<{ x: Tensor }>(tf.Identity, 'fast', (context, { x }) =>
    x.dtype === 'string' ? undefined : context.alias(x, x.shape),
  ),

  kernel<{ x: Tensor }, { perm: number[] }>(tf.Transpose, 'fast', (context, { x }, { perm }) =>
    hasWords(x) ? transposed(context, x, perm) : undefined,
  ),

  kernel<{ x: Tensor }, { reps: number[] }>(tf.Tile, 'fast', (context, { x }, { reps }) => {
    if (!hasWords(x)) return undefined;
    const shape = x.shape.map((size, axis) => size * reps[axis]!);
    const out = context.output(shape, x.dtype);
    const [from, to] = [stridesOf(x.shape), stridesOf(shape)];
    stridedCopy(
      context,
      context.address(x),
      context.address(out),
      x.shape.flatMap((size, axis) => [
        { size: reps[axis]!, from: 0, to: size * to[axis]! },
        { size, from: from[axis]!, to: to[axis]! },
      ]),
    );
    return out;
  }),

  // Stock copies all of x before it takes a part of it.
  kernel<{ x: Tensor }, { begin: number | number[]; size: number | number[] }>(
    tf.Slice,
    'fast',
    (context, { x }, attrs) => {
      if (!hasWords(x)) return undefined;
      const [begin, size] = tf.slice_util.parseSliceParams(x, attrs.begin, attrs.size) as [
        number[],
        number[],
      ];
      tf.slice_util.assertParamsValid(x, begin, size);
      return sliced(context, x, begin, size);
    },
  ),

  // Stock misplaces what it takes where an axis is dropped and another has a stride, and gives floats for integers.
  kernel<{ x: Tensor }, StridedSliceAttrs>(tf.StridedSlice, 'corrected', (context, { x }, attrs) => {
    if (!hasWords(x)) return undefined;
    const { begin, end, strides, beginMask, endMask, ellipsisMask, newAxisMask, shrinkAxisMask } = attrs;
    // biome-ignore format: the order of sliceInfo.
    const info = tf.slice_util.sliceInfo(x.shape, begin, end, strides, beginMask, endMask, ellipsisMask, newAxisMask, shrinkAxisMask);
    const counts = x.shape.map((_, axis) =>
      Math.max(0, Math.ceil((info.end[axis]! - info.begin[axis]!) / info.strides[axis]!)),
    );
    return sliced(context, x, info.begin, counts, info.strides, info.finalShape);
  }),

  kernel<Tensor[], { axis: number }>(tf.Concat, 'fast', (context, tensors, attrs) => {
    if (!tensors.every((tensor) => hasWords(tensor) && tensor.dtype === tensors[0]!.dtype)) return undefined;
    const axis = tf.util.parseAxisParam(attrs.axis, tensors[0]!.shape)[0]!;
    const shapes = tensors.map(({ shape }) => shape);
    tf.backend_util.assertParamsConsistent(shapes, axis);
    const shape = tf.backend_util.computeOutShape(shapes, axis);
    const out = context.output(shape, tensors[0]!.dtype);
    const outer = tf.util.sizeFromShape(shape.slice(0, axis));
    const row = tf.util.sizeFromShape(shape.slice(axis));
    let to = context.address(out);
    for (const tensor of tensors) {
      const length = tf.util.sizeFromShape(tensor.shape.slice(axis));
      stridedCopy(context, context.address(tensor), to, [
        { size: outer, from: length, to: row },
        { size: length, from: 1, to: 1 },
      ]);
      to += length * 4;
    }
    return out;
  }),

  kernel<{ x: Tensor }, { paddings: [number, number][]; constantValue: number }>(
    tf.PadV2,
    'fast',
    (context, { x }, { paddings, constantValue }) => {
      if (x.dtype !== 'float32') return undefined;
      const shape = x.shape.map((size, axis) => paddings[axis]![0] + size + paddings[axis]![1]);
      const out = context.output(shape);
      const [from, to] = [stridesOf(x.shape), stridesOf(shape)];
      context.module.fill(context.address(out), sizeOf(out), bitsOf(constantValue));
      const first = paddings.reduce((place, [before], axis) => place + before * to[axis]!, 0);
      const axes = x.shape.map((size, axis) => ({ size, from: from[axis]!, to: to[axis]! }));
      stridedCopy(context, context.address(x), context.address(out) + first * 4, axes);
      return out;
    },
  ),

  // Stock copies 4 bytes for each boolean, past the end of the result.
  kernel<{ x: Tensor }, { dims: number | number[] }>(tf.Reverse, 'corrected', (context, { x }, { dims }) => {
    if (x.dtype === 'bool')
      return throughFloats(context, x, (floats) => context.run(tf.Reverse, { x: floats }, { dims }));
    if (!hasWords(x)) return undefined;
    const axes = tf.util.parseAxisParam(dims, x.shape);
    const strides = stridesOf(x.shape);
    const out = context.output(x.shape, x.dtype);
    if (sizeOf(out) === 0) return out;
    const last = axes.reduce((place, axis) => place + (x.shape[axis]! - 1) * strides[axis]!, 0);
    const steps = x.shape.map((size, axis) => ({
      size,
      from: axes.includes(axis) ? -strides[axis]! : strides[axis]!,
      to: strides[axis]!,
    }));
    stridedCopy(context, context.address(x) + last * 4, context.address(out), steps);
    return out;
  }),
];

interface StridedSliceAttrs {
  begin: number[];
  end: number[];
  strides: number[];
  beginMask: number;
  endMask: number;
  ellipsisMask: number;
  newAxisMask: number;
  shrinkAxisMask: number;
}

export function transposed(context: KernelContext, x: Tensor, perm: readonly number[]): Tensor {
  const shape = perm.map((axis) => x.shape[axis]!);
  const [from, to] = [stridesOf(x.shape), stridesOf(shape)];
  const axes = perm.map((axis, i) => ({ size: shape[i]!, from: from[axis]!, to: to[i]! }));
  const moved = axes.filter(({ size }) => size > 1);
  if (moved.every((axis) => axis.from === axis.to)) return context.alias(x, shape);
  const out = context.output(shape, x.dtype);
  stridedCopy(context, context.address(x), context.address(out), axes);
  return out;
}

function sliced(
  context: KernelContext,
  x: Tensor,
  begin: readonly number[],
  counts: readonly number[],
  strides: readonly number[] = begin.map(() => 1),
  shape: readonly number[] = counts,
): Tensor {
  const out = context.output([...shape], x.dtype);
  const [from, to] = [stridesOf(x.shape), stridesOf(counts)];
  const first = begin.reduce((place, index, axis) => place + index * from[axis]!, 0);
  const axes = counts.map((size, axis) => ({ size, from: from[axis]! * strides[axis]!, to: to[axis]! }));
  stridedCopy(context, context.address(x) + first * 4, context.address(out), axes);
  return out;
}

/** For booleans, which have one byte each: does with floats what `run` does. */
export function throughFloats(context: KernelContext, x: Tensor, run: (floats: Tensor) => Tensor): Tensor {
  const floats = context.run(tf.Cast, { x }, { dtype: 'float32' });
  try {
    const result = run(floats);
    const out = context.run(tf.Cast, { x: result }, { dtype: 'bool' });
    context.dispose(result);
    return out;
  } finally {
    // Also where an index is out of range.
    context.dispose(floats);
  }
}

/** Whether its elements have 4 bytes, the unit of all copies. */
function hasWords({ dtype }: Tensor): boolean {
  return dtype === 'float32' || dtype === 'int32';
}

import * as tf from '@tensorflow/tfjs-core';
import { areFloats, type KernelContext } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import type { Address } from '../module/exports.js';
import { withoutNegativePads } from '../shapes/volume-padding.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

interface PoolAttrs {
  filterSize: number | [number, number, number];
  strides: number | [number, number, number];
  pad: 'valid' | 'same' | number;
  dimRoundingMode?: 'floor' | 'round' | 'ceil';
}

type Info = tf.backend_util.Conv3DInfo;

export const POOL3D_KERNELS: readonly TrainingKernel[] = [
  // Stock takes the smallest positive number for the maximum where nothing is positive.
  kernel<{ x: Tensor }, PoolAttrs>(tf.MaxPool3D, 'corrected', (context, { x }, attrs) => {
    if (!areFloats(x)) return undefined;
    const info = infoOf(x, attrs);
    const out = context.output(info.outShape);
    pool(context, context.address(x), context.address(out), 0, 0, info);
    return out;
  }),

  kernel<{ dy: Tensor; input: Tensor }, PoolAttrs>(
    tf.MaxPool3DGrad,
    'corrected',
    (context, { dy, input }, attrs) => {
      if (!areFloats(dy, input)) return undefined;
      const out = context.output(input.shape);
      pool(
        context,
        context.address(input),
        0,
        context.address(dy),
        context.address(out),
        infoOf(input, attrs),
      );
      return out;
    },
  ),

  // Stock is wrong where the padding of tfjs is negative. Without what lies behind the last windows it is 0.
  kernel<{ x: Tensor }, PoolAttrs>(tf.AvgPool3D, 'corrected', (context, { x }, attrs) => {
    const used = usedShape(x, attrs);
    if (!used) return undefined;
    const cropped = context.run(tf.Slice, { x }, { begin: used.map(() => 0), size: used });
    const out = context.run(tf.AvgPool3D, { x: cropped }, { ...attrs });
    context.dispose(cropped);
    return out;
  }),

  kernel<{ dy: Tensor; input: Tensor }, PoolAttrs>(
    tf.AvgPool3DGrad,
    'corrected',
    (context, { dy, input }, attrs) => {
      const used = usedShape(input, attrs);
      if (!used) return undefined;
      // Of the input only the shape matters.
      const small = context.run(tf.AvgPool3DGrad, { dy, input: { ...input, shape: used } }, { ...attrs });
      const paddings = used.map((size, axis) => [0, input.shape[axis]! - size]);
      const out = context.run(tf.PadV2, { x: small }, { paddings, constantValue: 0 });
      context.dispose(small);
      return out;
    },
  ),
];

/** The shape without what lies behind the last windows, where the padding of tfjs is negative; otherwise undefined. */
function usedShape(
  x: Tensor,
  { filterSize, strides, pad, dimRoundingMode }: PoolAttrs,
): number[] | undefined {
  const shape = x.shape as [number, number, number, number, number];
  const info = tf.backend_util.computePool3DInfo(shape, filterSize, strides, 1, pad, dimRoundingMode);
  if (withoutNegativePads(info) === info) return undefined;
  const used = (size: number, count: number, stride: number, window: number) =>
    Math.min(size, (count - 1) * stride + window);
  return [
    info.batchSize,
    used(info.inDepth, info.outDepth, info.strideDepth, info.filterDepth),
    used(info.inHeight, info.outHeight, info.strideHeight, info.filterHeight),
    used(info.inWidth, info.outWidth, info.strideWidth, info.filterWidth),
    info.inChannels,
  ];
}

function infoOf(x: Tensor, { filterSize, strides, pad, dimRoundingMode }: PoolAttrs): Info {
  const shape = x.shape as [number, number, number, number, number];
  return withoutNegativePads(
    tf.backend_util.computePool3DInfo(shape, filterSize, strides, 1, pad, dimRoundingMode),
  );
}

function pool(context: KernelContext, x: Address, y: Address, dy: Address, dx: Address, info: Info): void {
  const { padInfo } = info;
  // biome-ignore format: the order of maxPool3d.
  context.module.maxPool3d(x, y, 0, false, dy, dx, info.batchSize, info.inDepth, info.inHeight, info.inWidth, info.inChannels, info.outDepth, info.outHeight, info.outWidth, info.filterDepth, info.filterHeight, info.filterWidth, info.strideDepth, info.strideHeight, info.strideWidth, padInfo.front, padInfo.top, padInfo.left);
}

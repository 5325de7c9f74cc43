import * as tf from '@tensorflow/tfjs-core';
import { areFloats, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import type { PoolGeometry } from '../module/exports.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

interface PoolAttrs {
  filterSize: number | [number, number];
  strides: number | [number, number];
  pad: 'valid' | 'same' | number | tf.backend_util.ExplicitPadding;
  dimRoundingMode?: 'floor' | 'round' | 'ceil';
}

type Info = tf.backend_util.Conv2DInfo;

export const POOL_KERNELS: readonly TrainingKernel[] = [
  kernel<{ x: Tensor }, PoolAttrs>(tf.MaxPool, 'fast', (context, { x }, attrs) => {
    if (!areFloats(x)) return undefined;
    const info = infoOf(x, attrs);
    const out = context.output(info.outShape);
    context.module.maxPool(context.address(x), context.address(out), ...geometry(info));
    return out;
  }),

  // Stock loses the gradient of every window whose maximum is not positive.
  kernel<{ dy: Tensor; input: Tensor; output: Tensor }, PoolAttrs>(
    tf.MaxPoolGrad,
    'corrected',
    (context, { dy, input, output }, attrs) => {
      if (!areFloats(dy, input, output)) return undefined;
      const out = context.output(input.shape);
      const [inDy, inX, inY] = context.addresses(dy, input, output);
      context.module.maxPoolGradient(inDy, inX, inY, context.address(out), ...geometry(infoOf(input, attrs)));
      return out;
    },
  ),

  kernel<{ x: Tensor }, PoolAttrs & { includeBatchInIndex: boolean }>(
    tf.MaxPoolWithArgmax,
    'corrected',
    (context, { x }, attrs) => {
      if (!areFloats(x)) return undefined;
      const info = infoOf(x, attrs);
      const [values, indices] = [context.output(info.outShape), context.output(info.outShape, 'int32')];
      const { batchSize, inHeight, inWidth, inChannels, outHeight, outWidth, padInfo } = info;
      // biome-ignore format: the order of maxPool3d.
      context.module.maxPool3d(context.address(x), context.address(values), context.address(indices), !attrs.includeBatchInIndex, 0, 0, batchSize, 1, inHeight, inWidth, inChannels, 1, outHeight, outWidth, 1, info.filterHeight, info.filterWidth, 1, info.strideHeight, info.strideWidth, 0, padInfo.top, padInfo.left);
      return [values, indices];
    },
  ),

  kernel<{ x: Tensor }, PoolAttrs>(tf.AvgPool, 'fast', (context, { x }, attrs) => {
    if (!areFloats(x)) return undefined;
    const info = infoOf(x, attrs);
    const out = context.output(info.outShape);
    context.module.averagePool(context.address(x), context.address(out), ...geometry(info));
    return out;
  }),

  // As in stock, each element gets an equal share even at the border, as if the window were complete there. A gradient
  // that accounts for the border scales dy first.
  kernel<{ dy: Tensor; input: Tensor }, PoolAttrs>(
    tf.AvgPoolGrad,
    'fast',
    (context, { dy, input }, attrs) => {
      if (!areFloats(dy)) return undefined;
      const info = infoOf(input, attrs);
      const out = context.output(input.shape);
      const share = 1 / (info.filterHeight * info.filterWidth);
      if (sizeOf(out) === 0) return out;
      context.module.averagePoolGradient(context.address(dy), context.address(out), ...geometry(info), share);
      return out;
    },
  ),
];

function infoOf(x: Tensor, { filterSize, strides, pad, dimRoundingMode }: PoolAttrs): Info {
  const shape = x.shape as [number, number, number, number];
  return tf.backend_util.computePool2DInfo(shape, filterSize, strides, 1, pad, dimRoundingMode);
}

function geometry(info: Info): PoolGeometry {
  const { batchSize, inHeight, inWidth, inChannels, outHeight, outWidth, filterHeight, filterWidth } = info;
  const { strideHeight, strideWidth, padInfo } = info;
  // biome-ignore format: the order of maxPool.
  return [batchSize, inHeight, inWidth, inChannels, outHeight, outWidth, filterHeight, filterWidth, strideHeight, strideWidth, padInfo.top, padInfo.left];
}

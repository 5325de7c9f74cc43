import * as tf from '@tensorflow/tfjs-core';
import { areFloats, type KernelContext } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import type { Address } from '../module/exports.js';
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
];

function infoOf(x: Tensor, { filterSize, strides, pad, dimRoundingMode }: PoolAttrs): Info {
  const shape = x.shape as [number, number, number, number, number];
  return tf.backend_util.computePool3DInfo(shape, filterSize, strides, 1, pad, dimRoundingMode);
}

function pool(context: KernelContext, x: Address, y: Address, dy: Address, dx: Address, info: Info): void {
  const { padInfo } = info;
  // biome-ignore format: the order of maxPool3d.
  context.module.maxPool3d(x, y, 0, false, dy, dx, info.batchSize, info.inDepth, info.inHeight, info.inWidth, info.inChannels, info.outDepth, info.outHeight, info.outWidth, info.filterDepth, info.filterHeight, info.filterWidth, info.strideDepth, info.strideHeight, info.strideWidth, padInfo.front, padInfo.top, padInfo.left);
}

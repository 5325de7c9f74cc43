import * as tf from '@tensorflow/tfjs-core';
import type { CpuKernel } from './cpu-kernel.js';

interface PoolAttrs {
  filterSize: number | [number, number];
  strides: number | [number, number];
  pad: number;
  dimRoundingMode?: 'floor' | 'round' | 'ceil';
}

/** Stock forgets dimRoundingMode, so that windows added by rounding up lose their gradient. Here they are padded for. */
export const AVG_POOL_GRADIENT: CpuKernel = {
  name: tf.AvgPoolGrad,
  correct: (stock) => (args) => {
    const { filterSize, strides, pad, dimRoundingMode } = args.attrs as unknown as PoolAttrs;
    if (!dimRoundingMode) return stock(args);
    const shape = args.inputs.input!.shape as [number, number, number, number];
    const info = tf.backend_util.computePool2DInfo(shape, filterSize, strides, 1, pad, dimRoundingMode);
    const { top, left } = info.padInfo;
    const bottom = (info.outHeight - 1) * info.strideHeight + info.filterHeight - info.inHeight - top;
    const right = (info.outWidth - 1) * info.strideWidth + info.filterWidth - info.inWidth - left;
    const around = [
      [0, 0],
      [top, bottom],
      [left, right],
      [0, 0],
    ];
    return stock({ ...args, attrs: { ...args.attrs, pad: around } });
  },
};

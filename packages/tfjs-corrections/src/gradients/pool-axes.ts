import * as tf from '@tensorflow/tfjs-core';
import { poolsByItself } from '../tensorflow/own-windows.js';

/** One axis that windows go along. */
export interface PoolAxis {
  size: number;
  windows: number;
  window: number;
  stride: number;
  /** What lies before the first element. */
  pad: number;
}

interface PoolAttrs {
  filterSize: number | [number, number];
  strides: number | [number, number];
  pad: 'valid' | 'same' | number;
  dimRoundingMode?: 'floor' | 'round' | 'ceil';
}

/** Height and width of images, or depth, height and width of volumes. */
export function poolAxes(shape: readonly number[], attrs: tf.NamedAttrMap): PoolAxis[] {
  const { filterSize, strides, pad, dimRoundingMode } = attrs as unknown as PoolAttrs;
  const { computePool2DInfo, computePool3DInfo } = tf.backend_util;
  if (shape.length === 4) {
    const images = shape as [number, number, number, number];
    const info = computePool2DInfo(images, filterSize, strides, 1, pad, dimRoundingMode);
    return [height(info), width(info)];
  }
  const volumes = shape as [number, number, number, number, number];
  const info = computePool3DInfo(volumes, filterSize as number, strides as number, 1, pad, dimRoundingMode);
  const { inDepth: size, outDepth: windows, filterDepth: window, strideDepth: stride, padInfo } = info;
  return [{ size, windows, window, stride, pad: positive(padInfo.front) }, height(info), width(info)];
}

type Info = tf.backend_util.Conv2DInfo | tf.backend_util.Conv3DInfo;

function height(info: Info): PoolAxis {
  const { inHeight: size, outHeight: windows, filterHeight: window, strideHeight: stride, padInfo } = info;
  return { size, windows, window, stride, pad: positive(padInfo.top) };
}

function width(info: Info): PoolAxis {
  const { inWidth: size, outWidth: windows, filterWidth: window, strideWidth: stride, padInfo } = info;
  return { size, windows, window, stride, pad: positive(padInfo.left) };
}

/** In volumes tfjs has negative padding where strides are larger than the window; kernels take it for 0. */
function positive(pad: number): number {
  return Math.max(0, pad);
}

/**
 * Whether the kernel for the gradient of a mean divides by the size of the window, although at a padded border the mean
 * covers fewer elements. TensorFlow's own divides by what is covered.
 */
export function dividesByWindow(attrs: tf.NamedAttrMap): boolean {
  return !(tf.getBackend() === 'tensorflow' && poolsByItself(attrs));
}

/** How many elements of the axis each of its windows covers. */
export function covered({ size, windows, window, stride, pad }: PoolAxis): number[] {
  return Array.from({ length: windows }, (_, i) => {
    const begin = i * stride - pad;
    return Math.max(0, Math.min(begin + window, size) - Math.max(begin, 0));
  });
}

/** Multiplies what belongs to each window along the axis with this index by a factor. */
export function scaleWindows(x: tf.Tensor, index: number, factors: readonly number[]): tf.Tensor {
  if (factors.every((factor) => factor === 1)) return x;
  const shape = x.shape.map((_, axis) => (axis === index + 1 ? factors.length : 1));
  return tf.mul(x, tf.reshape(tf.tensor1d([...factors]), shape));
}

import * as tf from '@tensorflow/tfjs-core';
import type { PoolAxis } from './pool-axes.js';

/**
 * For every place in a window, in the order in which kernels look for the maximum: 1 for the windows that have their first
 * maximum there, 0 for the others.
 */
export function* firstMaxima(
  x: tf.Tensor,
  maxima: tf.Tensor,
  axes: readonly PoolAxis[],
): Generator<{ offset: number[]; isFirst: tf.Tensor }> {
  const padded = tf.pad(x, aroundWindows(axes), Number.NEGATIVE_INFINITY);
  let found: tf.Tensor = tf.zeros(maxima.shape, 'bool');
  for (const offset of offsets(axes.map(({ window }) => window))) {
    const isMaximum = tf.equal(elementsAt(offset, padded, axes), maxima);
    yield { offset, isFirst: tf.cast(tf.logicalAnd(isMaximum, tf.logicalNot(found)), 'float32') };
    found = tf.logicalOr(found, isMaximum);
  }
}

/** What is padded so that every window lies inside. */
export function aroundWindows(axes: readonly PoolAxis[]): [number, number][] {
  const paddings = axes.map(({ size, windows, window, stride, pad }): [number, number] => [
    pad,
    Math.max(0, (windows - 1) * stride + window - size - pad),
  ]);
  return [[0, 0], ...paddings, [0, 0]];
}

/** The element at one place of each window, of a tensor that is padded. */
export function elementsAt(
  offset: readonly number[],
  padded: tf.Tensor,
  axes: readonly PoolAxis[],
): tf.Tensor {
  const end = axes.map(({ windows, stride }, i) => offset[i]! + (windows - 1) * stride + 1);
  const strides = axes.map(({ stride }) => stride);
  return tf.stridedSlice(
    padded,
    [0, ...offset, 0],
    [padded.shape[0]!, ...end, padded.shape.at(-1)!],
    [1, ...strides, 1],
  );
}

function offsets(window: readonly number[]): number[][] {
  return window.reduce<number[][]>(
    (all, size) => all.flatMap((some) => Array.from({ length: size }, (_, i) => [...some, i])),
    [[]],
  );
}

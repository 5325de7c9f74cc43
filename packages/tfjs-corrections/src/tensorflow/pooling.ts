import * as tf from '@tensorflow/tfjs-core';
import { aroundWindows, firstMaxima } from '../gradients/first-maxima.js';
import { type PoolAxis, poolAxes } from '../gradients/pool-axes.js';
import { spread } from '../gradients/spread.js';
import { byCpu, type NativeKernel } from './native-kernel.js';
import { poolsByItself } from './own-windows.js';

/**
 * tfjs-node refuses padding by numbers, and forgets dimRoundingMode: with 'ceil' it has fewer windows than it should, without
 * an error. Such windows are left to cpu.
 */
export const POOLING_KERNELS: readonly NativeKernel[] = [
  tf.AvgPool,
  tf.AvgPoolGrad,
  tf.AvgPool3D,
  tf.AvgPool3DGrad,
  tf.MaxPool,
  tf.MaxPoolGrad,
  tf.MaxPool3D,
].map((name) => ({
  name,
  correct: (stock) => (args) => (poolsByItself(args.attrs) ? stock(args) : byCpu(name)(args)),
}));

/**
 * Where elements of a window are equal, TensorFlow's kernel for volumes gives each of them the whole gradient. Everywhere
 * else, and in images there too, the first of them gets it.
 */
export const MAX_POOL3D_GRADIENT: NativeKernel = {
  name: tf.MaxPool3DGrad,
  correct:
    () =>
    ({ inputs, attrs }) => {
      const { dy, input, output } = inputs as { dy: tf.Tensor; input: tf.Tensor; output: tf.Tensor };
      return tf.tidy(() => toFirstMaxima(dy, input, output, poolAxes(input.shape, attrs)));
    },
};

function toFirstMaxima(dy: tf.Tensor, x: tf.Tensor, maxima: tf.Tensor, axes: readonly PoolAxis[]): tf.Tensor {
  const around = aroundWindows(axes);
  const sizes = axes.map(({ size }, i) => size + around[i + 1]![0] + around[i + 1]![1]);
  let sum: tf.Tensor | undefined;
  for (const { offset, isFirst } of firstMaxima(x, maxima, axes)) {
    const placed = axes.reduce(
      (part, { stride }, i) => spread(part, i + 1, offset[i]!, stride, sizes[i]!),
      tf.mul(dy, isFirst),
    );
    sum = sum ? tf.add(sum, placed) : placed;
  }
  const begin = around.map(([before]) => before);
  return tf.slice(sum!, begin, x.shape);
}

import type { Batch } from '@hookline/hook-api';
import type { LossFunction } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { initializers, type LayersModel, layers, sequential } from '@tensorflow/tfjs-layers';

/** A model with its loss and data, the same for everyone who trains it. */
export interface Workload {
  name: string;
  batchSize: number;
  createModel(): LayersModel;
  loss: LossFunction;
  /** The same loss, as `model.compile` knows it. */
  lossName: string;
  createBatch(seed: number): { xs: tf.Tensor; ys: tf.Tensor };
}

/** 8-16-1: so little to compute that the loop shows. */
export const TINY: Workload = {
  name: 'tiny',
  batchSize: 8,
  createModel: () => perceptron(8, [16, 1], 'linear'),
  loss: (targets, outputs) => tf.square(tf.sub(outputs, targets)),
  lossName: 'meanSquaredError',
  createBatch: (seed) => {
    const xs = tf.randomNormal([8, 8], 0, 1, 'float32', seed);
    return { xs, ys: tf.tidy(() => tf.sum(xs, 1, true)) };
  },
};

/** 784-256-128-10: a first real network. */
export const MLP: Workload = {
  name: 'MLP',
  batchSize: 64,
  createModel: () => perceptron(784, [256, 128, 10], 'softmax'),
  loss: (targets, outputs) =>
    tf.neg(tf.sum(tf.mul(targets, tf.log(tf.clipByValue(outputs, 1e-7, 1 - 1e-7))), -1)),
  lossName: 'categoricalCrossentropy',
  createBatch: (seed) => ({
    xs: tf.randomUniform([64, 784], 0, 1, 'float32', seed),
    ys: tf.tidy(() => {
      const labels = tf.cast(tf.randomUniform([64], 0, 10, 'float32', seed), 'int32') as tf.Tensor1D;
      return tf.cast(tf.oneHot(labels, 10), 'float32');
    }),
  }),
};

/**
 * Dense layers that begin with the same weights each time. Who trains them then computes the same numbers, and
 * numbers matter: those near zero, as of units that died, slow a processor down.
 */
function perceptron(inputs: number, units: readonly number[], output: 'linear' | 'softmax'): LayersModel {
  return sequential({
    layers: units.map((size, index) =>
      layers.dense({
        units: size,
        activation: index === units.length - 1 ? output : 'relu',
        kernelInitializer: initializers.glorotUniform({ seed: index + 1 }),
        ...(index === 0 && { inputShape: [inputs] }),
      }),
    ),
  });
}

export function createBatches(
  workload: Workload,
  count: number,
): (Batch & { xs: tf.Tensor; ys: tf.Tensor })[] {
  return Array.from({ length: count }, (_, seed) => workload.createBatch(seed + 1));
}

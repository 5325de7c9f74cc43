import type { TrainableModule } from '@hookline/hook-api';
import { rows } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import type { TrainerOptions } from '../../src/index.js';

type Batch = { xs: tf.Tensor2D };

/** A generator that shifts and scales noise, and a critic that tells what it makes from the data. */
export interface Gan extends TrainableModule<Batch, tf.Tensor2D> {
  parameters(): Record<string, tf.Variable>;
  generate(noise: tf.Tensor2D): tf.Tensor2D;
  criticLoss(real: tf.Tensor2D, noise: tf.Tensor2D): tf.Scalar;
  generatorLoss(noise: tf.Tensor2D): tf.Scalar;
  getWeights(): tf.Tensor[];
}

/** `noiseOf` makes the noise of an update: of the batch, or at random. */
export function gan(
  noiseOf: (xs: tf.Tensor2D) => tf.Tensor2D = (xs) => tf.randomNormal([xs.shape[0], 3]),
): Gan {
  const matrix = (seed: number, columns: number) => tf.variable(tf.tensor2d(rows(3, columns, seed)));
  const weights = {
    'generator/kernel': matrix(1, 3),
    'critic/hidden': matrix(2, 3),
    'critic/out': matrix(3, 1),
  };
  /** Moves in every forward pass of the critic, as the averages of a batch normalisation do. */
  const seen = tf.variable(tf.zeros([3]), false);
  const critic = (xs: tf.Tensor2D): tf.Tensor2D => {
    seen.assign(tf.tidy(() => tf.add(tf.mul(seen, 0.9), tf.mean(xs, 0))));
    const hidden = tf.tanh(tf.matMul(xs, weights['critic/hidden'] as tf.Tensor2D));
    return tf.matMul(hidden, weights['critic/out'] as tf.Tensor2D);
  };
  const generate = (noise: tf.Tensor2D): tf.Tensor2D =>
    tf.matMul(noise, weights['generator/kernel'] as tf.Tensor2D);
  const softplus = (x: tf.Tensor) => tf.mean<tf.Scalar>(tf.softplus(x));
  const criticLoss = (real: tf.Tensor2D, noise: tf.Tensor2D) =>
    tf.add<tf.Scalar>(softplus(tf.neg(critic(real))), softplus(critic(generate(noise))));
  const generatorLoss = (noise: tf.Tensor2D) => softplus(tf.neg(critic(generate(noise))));
  return {
    parameters: () => weights,
    buffers: () => ({ seen }),
    forward: (xs) => generate(xs),
    loss: (outputs) => tf.mean(tf.square(outputs)),
    generate,
    criticLoss,
    generatorLoss,
    trainingStep: async ({ xs }, { update, log }) => {
      const critics = await update('critic', ({ tap }) => {
        tap('noise', noiseOf(xs));
        return criticLoss(xs, noiseOf(xs));
      });
      // Made between two updates: the seed decides this as well.
      const noise = noiseOf(xs);
      try {
        const generators = await update('generator', () => generatorLoss(noise));
        log({ critic: critics, gap: tf.sub(critics, generators) });
        return generators;
      } finally {
        if (noise !== xs) noise.dispose();
      }
    },
    getWeights: () => [...Object.values(weights), seen],
  };
}

export const GAN_OPTIMIZERS: TrainerOptions['optimizer'] = {
  critic: { name: 'adam', lr: 0.05, params: 'critic/**' },
  generator: { name: 'adam', lr: 0.02, params: 'generator/**' },
};

import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { activationStatistics } from '../src/activation-statistics.js';
import { plane, train } from './tiny-training.js';

test('mean and deviation of the tapped layers are logged every so many steps', async () => {
  const { logged } = await train([activationStatistics({ steps: 4 })]);

  expect(logged.map((values) => Object.keys(values))).toEqual(
    Array(4).fill([
      'step',
      'activations/encoder/mean',
      'activations/encoder/std',
      'activations/head/mean',
      'activations/head/std',
    ]),
  );
});

test('the numbers are those of the activations', async () => {
  const whole = plane(64);
  const still = { optimizer: { name: 'sgd', lr: 1e-12 } } as const;
  const hook = activationStatistics({ layers: 'head', steps: 1 });
  const { logged, trainer } = await train([hook], { train: whole, batchSize: 64, epochs: 1 }, still);

  const outputs = (await trainer.predict({ data: { xs: whole.xs } })) as tf.Tensor;
  const { mean, variance } = tf.moments(outputs);
  expect(logged[0]!['activations/head/mean']).toBeCloseTo(mean.dataSync()[0]!, 5);
  expect(logged[0]!['activations/head/std']).toBeCloseTo(Math.sqrt(variance.dataSync()[0]!), 5);
});

test('only training is measured', async () => {
  const { logged } = await train([activationStatistics({ steps: 4 })]);
  const { logged: alone } = await train([activationStatistics({ steps: 4 })], { validation: undefined });

  expect(logged).toEqual(alone);
});

test('training is the same with it and without it, and no tensor is left behind', async () => {
  const without = await train([]);
  const before = tf.memory().numTensors;
  await train([]);
  const usual = tf.memory().numTensors - before;
  const observed = await train([activationStatistics({ steps: 1 })]);

  expect(observed.weights).toEqual(without.weights);
  expect(observed.result.history).toEqual(without.result.history);
  expect(tf.memory().numTensors - before).toBe(2 * usual);
});

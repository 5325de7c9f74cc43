import { errorOf, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { drive, driveAll, GRADIENTS, START } from './drive.js';

beforeAll(() => useBackend('cpu'));

const MAKERS: [string, (lr: number) => tf.Optimizer][] = [
  ['sgd', tf.train.sgd],
  ['momentum', (lr) => tf.train.momentum(lr, 0.9)],
  ['adam', tf.train.adam],
  ['adamax', tf.train.adamax],
  ['rmsprop', (lr) => tf.train.rmsprop(lr)],
];

/** Where tfjs itself brings the weights. */
function byTfjs(optimizer: tf.Optimizer, gradients: readonly number[][]): number[] {
  const variable = tf.variable(tf.tensor1d([...START]));
  for (const row of gradients) optimizer.applyGradients({ [variable.name]: tf.tensor1d(row) });
  return [...variable.dataSync()];
}

describe.each(MAKERS)('tf.train.%s', (_name, make) => {
  test('moves the weights as it does by itself', () => {
    const { step, values } = drive(make(0.02));
    step(GRADIENTS);
    expect(values()).toEqual(byTfjs(make(0.02), GRADIENTS));
  });

  test('follows lr and lrScale', () => {
    const scaled = drive(make(0.08));
    const [group] = scaled.optimizer.view.groups;
    expect(group!.lr).toBeCloseTo(0.08);
    Object.assign(group!, { lr: 0.04, lrScale: 0.5 });
    scaled.step(GRADIENTS.slice(0, 10));
    const expected = byTfjs(make(0.02), GRADIENTS.slice(0, 10));
    scaled.values().forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i]!, 6);
    });
  });
});

test.each(MAKERS.filter(([name]) => name === 'adam' || name === 'momentum'))(
  'tf.train.%s continues to the bit from its saved state, and leaves no tensor behind',
  async (_name, make) => {
    const whole = drive(make(0.02));
    whole.step(GRADIENTS.slice(0, 20));
    const [saved, weights] = [await whole.optimizer.saveState(), whole.values()];
    whole.step(GRADIENTS.slice(20));
    const resumed = drive(make(0.02), weights);
    await resumed.optimizer.loadState(saved);
    resumed.step(GRADIENTS.slice(20));
    expect(resumed.values()).toEqual(whole.values());

    const before = tf.memory().numTensors;
    await resumed.optimizer.loadState(await resumed.optimizer.saveState());
    expect(tf.memory().numTensors).toBe(before);
  },
);

test('a parameter without a gradient stays where it is', () => {
  const { step, values } = driveAll(tf.train.sgd(1), { a: [1], b: [2] });
  step([{ b: [0.5] }]);
  expect(values()).toEqual({ a: [1], b: [1.5] });
});

test('one whose state tfjs cannot save says so, and what to use', async () => {
  const { optimizer, step } = drive(tf.train.adamax(0.02));
  step(GRADIENTS.slice(0, 2));
  const { code, message } = await errorOf(optimizer.saveState());
  expect(`${code}: ${message}`).toBe(
    'BAD_OPTIMIZER: tfjs cannot save the state of its optimizer "adamax", so a run with it cannot be resumed. ' +
      "Use an optimizer by name, such as { name: 'adam', lr: 0.001 }.",
  );
});

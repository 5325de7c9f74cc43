import type { Hook } from '@hookline/hook-api';
import { errorOf, regression, regressor, TEST_BACKENDS, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Metric, meanMetric, selectBackend, type TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const data = regression(8);

async function train(hooks: Hook[], options: Partial<TrainerOptions> = {}) {
  const model = regressor();
  const trainer = quietTrainer({ model, optimizer: { name: 'sgd', lr: 0.1 }, hooks, ...options });
  const result = await trainer.fit({ train: data, epochs: 2, batchSize: 4, shuffle: false });
  return { weights: weightsOf(model), result };
}

describe.each(TEST_BACKENDS)('transformLoss on %s', (backend) => {
  beforeAll(() => selectBackend({ backend, root: '.' }));

  test('a hook that returns nothing, or the loss it was given, leaves every bit of training as it is', async () => {
    const plain = await train([], { backend });
    const silent = await train([{ name: 'silent', transformLoss: () => undefined }], { backend });
    const same = await train([{ name: 'same', transformLoss: (_ctx, { loss }) => loss }], { backend });
    expect(silent.weights).toEqual(plain.weights);
    expect(same.weights).toEqual(plain.weights);
    expect(same.result.history).toEqual(plain.result.history);
  });

  test('the returned loss is what is minimised and reported', async () => {
    const plain = await train([], { backend, optimizer: { name: 'sgd', lr: 0.2 } });
    const double: Hook = { name: 'double', transformLoss: (_ctx, { loss }) => tf.mul(loss, 2) };
    const doubled = await train([double], { backend });
    expect(doubled.weights.flat()).toHaveLength(plain.weights.flat().length);
    doubled.weights.flat().forEach((weight, i) => {
      expect(weight).toBeCloseTo(plain.weights.flat()[i]!, 5);
    });
    const [first, second] = [plain, doubled].map(({ result }) => result.history[0]!['train/loss']!);
    expect(second).toBeCloseTo(2 * first!, 4);
  });

  test('each hook replaces the loss of the hook before it, and onBeforeBackward sees the last', async () => {
    const seen: number[][] = [];
    const plusOne: Hook = { name: 'plus-one', transformLoss: (_ctx, { loss }) => tf.add(loss, 1) };
    const timesTen: Hook = { name: 'times-ten', transformLoss: (_ctx, { loss }) => tf.mul(loss, 10) };
    const watcher: Hook = {
      name: 'watcher',
      transformLoss: (_ctx, { loss }) => void seen.push([loss.dataSync()[0]!]),
      onBeforeBackward: (_ctx, { loss }) => void seen.at(-1)!.push(loss.dataSync()[0]!),
    };
    await train([{ ...watcher, onBeforeBackward: () => {} } as Hook, plusOne, timesTen], { backend });
    const before = seen.splice(0).map(([loss]) => loss!);
    await train([plusOne, timesTen, watcher], { backend });
    expect(seen[0]![0]).toBeCloseTo((before[0]! + 1) * 10, 3);
    for (const [transformed, backward] of seen) expect(backward).toBe(transformed);
  });
});

test('the hook sees the outputs and the targets of the batch, on the tape', async () => {
  const l1: Hook = {
    name: 'l1',
    transformLoss: (_ctx, { outputs, batch }) =>
      tf.mean(tf.abs(tf.sub(outputs as tf.Tensor, batch.ys as tf.Tensor))) as tf.Scalar,
  };
  const replaced = await train([l1]);
  const named = await train([], { loss: 'meanAbsoluteError' });
  replaced.weights.flat().forEach((weight, i) => {
    expect(weight).toBeCloseTo(named.weights.flat()[i]!, 5);
  });
});

test('metrics are of the outputs, whatever the loss becomes', async () => {
  const mae: Metric = meanMetric('mae', (targets, outputs) => tf.abs(tf.sub(targets, outputs)));
  const zero: Hook = { name: 'scaled', transformLoss: (_ctx, { loss }) => tf.mul(loss, 0) };
  const { result } = await train([zero], { metrics: [mae] });
  expect(result.history[0]!['train/loss']).toBe(0);
  expect(result.history[0]!['train/mae']).toBeGreaterThan(0);
});

test('validation keeps its own loss', async () => {
  const zero: Hook = { name: 'scaled', transformLoss: (_ctx, { loss }) => tf.mul(loss, 0) };
  const trainer = quietTrainer({ model: regressor(), hooks: [zero] });
  const { history } = await trainer.fit({ train: data, validation: data, epochs: 1 });
  expect(history[0]!['train/loss']).toBe(0);
  expect(history[0]!['val/loss']).toBeGreaterThan(0);
});

const MISTAKES: [what: string, make: () => unknown, says: string][] = [
  ['a number', () => 5, 'returned 5, expected one number, as a tensor'],
  ['a vector', () => tf.tensor1d([1, 2]), 'returned a tensor of shape [2]'],
  ['a promise', async () => tf.scalar(1), 'transformLoss'],
];

test.each(MISTAKES)(
  '%s in place of the loss ends the run with the name of the hook',
  async (_what, make, says) => {
    const wrong = { name: 'wrong', transformLoss: make } as unknown as Hook;
    const error = await errorOf(train([wrong]));
    expect(error.message).toContain('wrong');
    expect(error.message).toContain(says);
  },
);

test('a loss that no longer depends on the model is refused, and nothing leaks', async () => {
  const model = regressor();
  const constant: Hook = { name: 'constant', transformLoss: () => tf.scalar(1) };
  const trainer = quietTrainer({ model, hooks: [constant] });
  await trainer.ready();
  const before = tf.memory().numTensors;
  const error = await errorOf(trainer.fit({ train: data, epochs: 1 }));
  expect(error.code).toBe('BAD_LOSS');
  expect(tf.memory().numTensors).toBe(before);
});

test('a transform that throws on the tape leaks no tensor and reaches the caller as it is', async () => {
  const failure = new Error('no loss today');
  const trainer = quietTrainer({
    model: regressor(),
    hooks: [
      {
        name: 'thrower',
        transformLoss: (_ctx, { loss }) => {
          tf.mul(loss, 2);
          throw failure;
        },
      },
    ],
  });
  await trainer.ready();
  const before = tf.memory().numTensors;
  expect(await errorOf(trainer.fit({ train: data, epochs: 1 }))).toBe(failure);
  expect(tf.memory().numTensors).toBe(before);
});

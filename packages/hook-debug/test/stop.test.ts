import type { TrainableModule } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { debug } from '../src/index.js';
import { chain } from './chain.js';
import { PRETEND_DEVICE, watchedRun } from './watched-run.js';

const GOOD = { xs: [[1], [2], [3]], ys: [[1], [2], [3]] };
const BAD_FOURTH = { xs: [...GOOD.xs, [Number.NaN], [5]], ys: [...GOOD.ys, [4], [5]] };

describe.each([
  ['in our own memory', []],
  ['on a device', [PRETEND_DEVICE]],
])('with tensors %s', (_where, pretend) => {
  test('the run stops at the bad batch with the weights of before, and names batch, layer and parameter', async () => {
    const clean = await watchedRun(pretend, { data: GOOD });
    const run = await watchedRun([...pretend, debug()], { data: BAD_FOURTH });
    expect(run.result.status).toBe('stopped');
    expect(run.result.stopReason).toBe(
      'debug: the loss is NaN at epoch 1, batch 4 of loader "train" (step 3)',
    );
    // Whoever looks at the exit code alone must not take it for a success.
    expect(run.result).toMatchObject({ exitCode: 1, failure: run.result.stopReason });
    expect(run.weights).toEqual(clean.weights);
    expect(run.said).toHaveLength(1);
    expect(run.said[0]).toMatchObject({
      level: 'error',
      fields: { epoch: 0, batch: 3, loader: 'train', step: 3, layer: 'first', parameter: 'third/bias' },
    });
    expect(run.said[0]!.message).toContain(
      'The batch already contains it: xs (1 NaN of 1 value, first at [0, 0]).',
    );
    expect(run.said[0]!.message).toContain('The first layer with a bad output is first: 1 NaN of 1 value');
    expect(run.said[0]!.message).toContain('The run stops; this update is skipped');
  });

  test('the layer that makes infinity from finite numbers is named, not those after it', async () => {
    const run = await watchedRun([...pretend, debug()], {
      model: chain([1, 3e38, 1]),
      data: { xs: [[10]], ys: [[1]] },
    });
    expect(run.result.stopReason).toContain('the loss is Infinity at epoch 1, batch 1');
    expect(run.said[0]!.message).toContain(
      'The first layer with a bad output is second: 1 infinite of 1 value, first at [0, 0], from finite input and weights.',
    );
    expect(run.said[0]!.message).not.toContain('The batch already contains it');
  });

  test('gradients that are bad while the loss is fine are found, with the one that the backward pass reached first', async () => {
    const run = await watchedRun([...pretend, debug()], { model: rootModel(), data: { xs: [[1], [0]] } });
    expect(run.result.stopReason).toBe(
      'debug: gradients are not finite at epoch 1, batch 2 of loader "train" (step 1)',
    );
    expect(run.said[0]!.fields.parameter).toBe('middle');
    expect(run.said[0]!.message).toContain(
      'Gradients: first (1 NaN of 1 value), middle (1 NaN of 1 value); the backward pass reached middle first.',
    );
    expect(Object.values(run.weights).flat().every(Number.isFinite)).toBe(true);
  });
});

/** `last * sqrt(middle * first * x)`: at x = 0 the loss is 0, and the slope of the root is infinite. */
function rootModel(): TrainableModule {
  const parameters = {
    first: tf.variable(tf.scalar(1)),
    middle: tf.variable(tf.scalar(1)),
    last: tf.variable(tf.scalar(1)),
  };
  const { first, middle, last } = parameters;
  return {
    parameters: () => parameters,
    forward: (xs) => tf.mul(last, tf.sqrt(tf.mul(middle, tf.mul(first, xs as tf.Tensor)))),
    loss: (outputs) => tf.sum(outputs as tf.Tensor),
  };
}

test('a loss function that fails on finite outputs is suspected when every layer is fine', async () => {
  const run = await watchedRun([debug()], {
    loss: (_targets: tf.Tensor, outputs: tf.Tensor) => tf.log(tf.mul(outputs, -1)),
    data: { xs: [[1]], ys: [[1]] },
  });
  expect(run.said[0]!.message).toContain(
    'When the batch was run again, every layer had finite outputs: look at the loss function',
  );
});

test('weights that an update broke are told from a bad batch', async () => {
  const run = await watchedRun([debug()], {
    optimizer: { name: 'sgd', lr: 3e38 },
    data: { xs: [[100], [1]], ys: [[0], [1]] },
  });
  expect(run.result.stopReason).toContain('step 1');
  expect(run.said[0]!.fields.parameter).toBe('first/kernel');
  expect(run.said[0]!.message).toContain(
    'Weights were already bad before this batch, because of an earlier update: first/kernel (1 infinite of 1 value',
  );
  expect(run.said[0]!.message).toMatch(/ The run stops\.$/);
});

test('moving averages are as before the batch too, though the forward pass had changed them', async () => {
  const model = () =>
    sequential({
      layers: [
        layers.batchNormalization({ inputShape: [1], name: 'norm' }),
        layers.dense({ units: 1, name: 'out' }),
      ],
    });
  const xs = [[1], [2], [3], [4]];
  const ys = [[1], [2], [3], [4]];
  const clean = await watchedRun([], { model, data: { xs, ys }, batchSize: 2 });
  const run = await watchedRun([debug()], {
    model,
    data: { xs: [...xs, [Number.NaN], [5]], ys: [...ys, [0], [0]] },
    batchSize: 2,
  });
  expect(run.said[0]!.message).toMatch(/broke weights that are not trained: norm\/moving_mean/);
  expect(run.weights['norm/moving_mean']).toHaveLength(1);
  expect(run.weights).toEqual(clean.weights);
});

test('one bad batch among those that are accumulated keeps the whole step from the weights', async () => {
  const untouched = await watchedRun([], { data: GOOD, optimizer: { name: 'sgd', lr: 0 } });
  const run = await watchedRun([debug()], { data: BAD_FOURTH, accumulate: 5 });
  expect(run.result.stopReason).toContain('batch 4 of loader "train" (step 0)');
  expect(run.weights).toEqual(untouched.weights);
});

test('with every: 2 the steps in between are not checked', async () => {
  const run = await watchedRun([debug({ every: 2 })], { data: BAD_FOURTH });
  expect(run.result.stopReason).toContain('batch 5 of loader "train" (step 4)');
  expect(run.said[0]!.message).toContain('Weights were already bad before this batch');
});

test('a weight that no batch has shown is found at the end of the epoch', async () => {
  const spoiler = {
    name: 'spoiler',
    onStepEnd({ state }: { state: { step: number; parameters: Readonly<Record<string, tf.Variable>> } }) {
      if (state.step === GOOD.xs.length) state.parameters['second/bias']!.assign(tf.tensor1d([Number.NaN]));
    },
  };
  const run = await watchedRun([spoiler, debug()], { data: GOOD, epochs: 3 });
  expect(run.result.stopReason).toBe(
    'debug: weights are not finite at the end of epoch 1 (step 3): second/bias (1 NaN of 1 value, first at [0])',
  );
});

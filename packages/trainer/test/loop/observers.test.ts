import { after, EVENTS, every, type Hook, once, sample } from '@hookline/hook-api';
import {
  itOn,
  recorder,
  regression,
  someOf,
  TEST_BACKEND,
  TEST_BACKENDS,
  weightsOf,
} from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import type { TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const OPTIONS: Omit<TrainerOptions, 'model'> = {
  metrics: ['meanAbsoluteError'],
  accumulate: 2,
  clip: { globalNorm: 0.5 },
  seed: 5,
};

function model(): tfl.Sequential {
  return tfl.sequential({
    layers: [
      tfl.layers.dense({ name: 'hidden', units: 6, inputShape: [3], activation: 'tanh' }),
      tfl.layers.dropout({ rate: 0.2 }),
      tfl.layers.batchNormalization(),
      tfl.layers.dense({ name: 'out', units: 1 }),
    ],
  });
}

async function train(backend: string, hooks: Hook[]) {
  const trainer = quietTrainer({ model, backend, ...OPTIONS, hooks });
  const { history } = await trainer.fit({
    train: regression(20),
    validation: regression(8, 3),
    epochs: 3,
    batchSize: 4,
  });
  return { history, weights: weightsOf((await trainer.model()) as tfl.Sequential) };
}

describe.each(someOf(TEST_BACKENDS, 1))('on %s', (backend) => {
  test('a hook that only looks leaves training as it is, to the bit', async () => {
    const plain = await train(backend, []);
    const looking: Hook = {
      name: 'looking',
      onForward: (ctx, { output }) => void [tf.mean(output).dataSync(), ctx.state.latestLoss],
      onBeforeBackward: (_ctx, { loss }) => void loss.dataSync(),
      onAfterBackward: async (_ctx, { gradients }) => {
        await Promise.all(Object.values(gradients).map((gradient) => gradient.data()));
      },
      onTrainBatchEnd: every({ steps: 2 }, (ctx) => ctx.log({ 'looking/step': ctx.state.step })),
      onStepEnd: sample(0.5, () => {}),
      onEpochEnd: once(async (ctx) => void (await ctx.snapshot())),
    };
    expect(await train(backend, [recorder(), looking])).toEqual(plain);
  });

  test('identity transforms leave training as it is, to the bit', async () => {
    const identity: Hook = {
      name: 'identity',
      transformBatch: (_ctx, { batch }) => batch,
      transformActivation: (_ctx, { output }) => output,
      transformGradients: (_ctx, { gradients }) => gradients,
    };
    expect(await train(backend, [identity])).toEqual(await train(backend, []));
  });
});

test('a hook that is switched off leaves no trace', async () => {
  const changing: Hook = {
    name: 'changing',
    transformGradients: (_ctx, { gradients }) => reversed(gradients),
  };
  const plain = await train(TEST_BACKEND, []);
  const trainer = quietTrainer({ model, ...OPTIONS, hooks: [[changing, false]] });
  const data = { train: regression(20), validation: regression(8, 3), epochs: 3, batchSize: 4 };
  expect((await trainer.fit(data)).history).toEqual(plain.history);
  expect((await train(TEST_BACKEND, [changing])).history).not.toEqual(plain.history);
});

// Tensors of tfjs-node are of its own copy of tfjs, whose reads are not counted here.
itOn('cpu')('nothing is read from the device until somebody due asks', async () => {
  let reads = 0;
  const count = async (hooks: Hook[]) => {
    const trainer = await quietTrainer({ model, ...OPTIONS, hooks }).ready();
    reads = 0;
    await trainer.fit({ train: { xs: tf.ones([20, 3]), ys: tf.ones([20, 1]) }, epochs: 1, batchSize: 4 });
    return reads;
  };
  const { dataSync } = tf.Tensor.prototype;
  tf.Tensor.prototype.dataSync = function () {
    reads++;
    return dataSync.call(this) as never;
  };
  try {
    // Loss and metric of the epoch.
    expect(await count([])).toBe(2);
    const observed = Object.entries(EVENTS).filter(([, { kind }]) => kind === 'observe');
    const patient = Object.fromEntries(observed.map(([event]) => [event, after({ steps: 1000 }, () => {})]));
    expect(await count([{ name: 'patient', ...patient }])).toBe(2);
    expect(await count([recorder()])).toBeGreaterThan(2);
  } finally {
    tf.Tensor.prototype.dataSync = dataSync;
  }
});

function reversed(gradients: Readonly<Record<string, tf.Tensor>>): Record<string, tf.Tensor> {
  return Object.fromEntries(Object.entries(gradients).map(([path, gradient]) => [path, tf.neg(gradient)]));
}

import type { TrainableModule } from '@hookline/hook-api';
import { classes, regression, rows } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { combine, type Data, topKAccuracy } from '../src/index.js';
import { GAN_OPTIMIZERS, gan } from '../test/support/gan.js';
import {
  differences,
  EVERYTHING,
  resumedRun,
  straightRun,
  type Variant,
} from '../test/support/resume-anywhere.js';

const sequences: Data = Array.from({ length: 5 }, (_, index) => ({
  xs: tf.tensor3d(rows(12, 2, index + 1).flat(), [4, 3, 2]),
  ys: tf.tensor2d(rows(4, 1, index + 20)),
}));

/** Remembers its state from batch to batch, and drops inputs and states. */
function statefulRnn(): tfl.Sequential {
  return tfl.sequential({
    layers: [
      tfl.layers.lstm({
        units: 3,
        stateful: true,
        dropout: 0.2,
        recurrentDropout: 0.2,
        batchInputShape: [4, 3, 2],
      }),
      tfl.layers.dense({ units: 1 }),
    ],
  });
}

/** Made of raw ops, with noise, a value that every forward pass changes, and outputs that show with the first batch. */
function rawModule(): TrainableModule & { getWeights(): tf.Tensor[] } {
  const kernel = tf.variable(tf.randomNormal([3, 3]));
  const seen = tf.variable(tf.zeros([3]));
  return {
    parameters: () => ({ kernel }),
    buffers: () => ({ seen }),
    forward: (xs, { training }) => {
      const logits = tf.matMul(xs as tf.Tensor2D, kernel as tf.Tensor2D);
      if (!training) return tf.sub(logits, tf.mul(seen, 0.1));
      seen.assign(tf.tidy(() => tf.add(tf.mul(seen, 0.9), tf.mean(xs as tf.Tensor2D, 0))));
      return tf.add(logits, tf.randomNormal(logits.shape, 0, 0.1));
    },
    getWeights: () => [kernel, seen],
  };
}

const { xs, labels } = classes(18);

const VARIANTS: [string, Variant][] = [
  ['everything at once', EVERYTHING],
  ['nothing special', { trainer: {}, fit: { epochs: 2 } }],
  [
    'everything at once, on wasm',
    {
      ...EVERYTHING,
      trainer: { ...(EVERYTHING.trainer as object), backend: 'wasm' },
      fit: { ...EVERYTHING.fit, epochs: 2 },
    },
  ],
  [
    'an optimizer of tfjs, limited batches, a last step before the end of the epoch',
    {
      trainer: () => ({ optimizer: tf.train.adam(0.02), nonFiniteLoss: 'skip', accumulate: { 1: 3 } }),
      fit: { limitTrainBatches: 4, maxSteps: 5, validateEvery: { epochs: 2 } },
      waits: true, // its state cannot be had at once
    },
  ],
  [
    'a stateful RNN with dropout of its states',
    {
      trainer: { model: statefulRnn, accumulate: 2 },
      fit: { train: sequences, validation: sequences, epochs: 2, validateEvery: { steps: 2 } },
    },
  ],
  [
    'a module',
    {
      trainer: {
        model: rawModule as never,
        loss: 'sparseSoftmaxCrossentropy',
        metrics: ['accuracy', topKAccuracy(2)],
        accumulate: 4,
      },
      fit: { train: { xs, ys: labels }, validation: { xs, ys: labels }, epochs: 2 },
    },
  ],
  [
    'a module with its own step, on wasm',
    {
      trainer: {
        model: () => gan() as never,
        backend: 'wasm',
        optimizer: GAN_OPTIMIZERS!,
        loss: undefined as never,
        ema: { decay: 0.8 },
      },
      fit: { train: { xs: rows(12, 3, 7) }, validation: { xs: rows(6, 3, 8) }, epochs: 2 },
    },
  ],
  [
    'loaders that start over when they are through',
    {
      trainer: {
        schedule: [
          { name: 'warmup', steps: 4 },
          { name: 'cosine', epochs: 2 },
        ],
      },
      fit: {
        epochs: 2,
        train: combine(
          { short: regression(5), long: regression(14, 3) },
          { strategy: 'roundRobin', whenExhausted: 'restart' },
        ),
      },
    },
  ],
];

// A prime, so that over the epochs every event has its turn.
const STRIDE = 3;

describe('snapshots of every event, resumed, give what the run continued to give', () => {
  test.each(VARIANTS)('%s', async (name, variant) => {
    const straight = await straightRun(variant);
    expect(straight.taken.length).toBeGreaterThan(60);
    const all = name === 'everything at once';
    const found: string[] = [];
    for (const [index, taken] of straight.taken.entries()) {
      if (!all && index % STRIDE !== 0) continue;
      found.push(...differences(straight, await resumedRun(variant, taken.snapshot), taken));
    }
    expect(found).toEqual([]);
  });
});

import type { Gradients, Hook } from '@hookline/hook-api';
import { REGRESSOR_PATHS, regression, regressor } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import type * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import type { ClipOption } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

type Numbers = Record<string, number[]>;

function read(gradients: Gradients): Numbers {
  return Object.fromEntries(
    Object.entries(gradients).map(([path, tensor]) => [path, [...tensor.dataSync()]]),
  );
}

/** The gradients of the mean squared error by the weights, written out by hand: tf.grads of the two layers' formula. */
function gradientsByHand(model: tfl.Sequential, xs: number[][], ys: number[][]): Numbers {
  return tf.tidy(() => {
    const [x, y] = [tf.tensor2d(xs), tf.tensor2d(ys)];
    const loss = (w1: tf.Tensor, b1: tf.Tensor, w2: tf.Tensor, b2: tf.Tensor) => {
      const hidden = tf.tanh(tf.add(tf.matMul(x, w1 as tf.Tensor2D), b1));
      const out = tf.add(tf.matMul(hidden, w2), b2);
      return tf.mean(tf.square(tf.sub(out, y)));
    };
    const weights = model.getWeights().map((weight) => tf.clone(weight));
    const gradients = tf.grads(loss as (...args: tf.Tensor[]) => tf.Scalar)(weights);
    return Object.fromEntries(gradients.map((gradient, i) => [REGRESSOR_PATHS[i], [...gradient.dataSync()]]));
  });
}

function expectClose(actual: Numbers, expected: Numbers, digits = 6): void {
  expect(Object.keys(actual)).toEqual(Object.keys(expected));
  for (const [path, values] of Object.entries(expected)) {
    expect(actual[path]).toHaveLength(values.length);
    values.forEach((value, i) => {
      expect(actual[path]![i], `${path}[${i}]`).toBeCloseTo(value, digits);
    });
  }
}

const scaled = (gradients: Numbers, factor: (path: string) => number): Numbers =>
  Object.fromEntries(
    Object.entries(gradients).map(([path, values]) => [path, values.map((v) => v * factor(path))]),
  );
const normOf = (values: number[]) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
const globalNormOf = (gradients: Numbers) => normOf(Object.values(gradients).flat());

/** One step over the given batches, with the gradients at each event. */
async function gradientsOfOneStep(batches: number, clip?: ClipOption) {
  const data = regression(4 * batches);
  const model = regressor();
  const expected = Array.from({ length: batches }, (_, i) =>
    gradientsByHand(model, data.xs.slice(4 * i, 4 * i + 4), data.ys.slice(4 * i, 4 * i + 4)),
  );
  const seen = {
    afterBackward: [] as Numbers[],
    transform: {} as Numbers,
    before: {} as Numbers,
    after: {} as Numbers,
    shapes: {} as Record<string, number[]>,
    clip: { normBefore: Number.NaN, normAfter: Number.NaN },
  };
  const watch: Hook = {
    name: 'watch',
    onAfterBackward: (_ctx, { gradients }) => {
      seen.afterBackward.push(read(gradients));
      seen.shapes = Object.fromEntries(Object.entries(gradients).map(([path, { shape }]) => [path, shape]));
    },
    transformGradients: (_ctx, { gradients }) => {
      seen.transform = read(gradients);
      return undefined;
    },
    onGradientClip: (_ctx, event) => {
      seen.clip = event;
    },
    onBeforeOptimizerStep: (_ctx, { gradients }) => {
      seen.before = read(gradients);
    },
    onAfterOptimizerStep: (_ctx, { gradients }) => {
      seen.after = read(gradients);
    },
  };
  const trainer = quietTrainer({
    model,
    optimizer: 'sgd',
    accumulate: batches,
    hooks: [watch],
    ...(clip && { clip }),
  });
  await trainer.fit({ train: data, epochs: 1, batchSize: 4, shuffle: false });
  return { seen, expected };
}

test('gradients come by parameter path, in the shapes of the parameters, and are those of tf.grads', async () => {
  const { seen, expected } = await gradientsOfOneStep(1);
  expect(seen.shapes).toEqual({
    'hidden/kernel': [3, 4],
    'hidden/bias': [4],
    'out/kernel': [4, 1],
    'out/bias': [1],
  });
  for (const gradients of [seen.afterBackward[0]!, seen.transform, seen.before, seen.after]) {
    expectClose(gradients, expected[0]!);
  }
});

test('onAfterBackward shows one batch, the step shows the mean over its batches', async () => {
  const { seen, expected } = await gradientsOfOneStep(3);
  expect(seen.afterBackward).toHaveLength(3);
  expected.forEach((gradients, i) => {
    expectClose(seen.afterBackward[i]!, gradients);
  });
  const mean: Numbers = {};
  for (const path of REGRESSOR_PATHS) {
    mean[path] = expected[0]![path]!.map(
      (_, i) => expected.reduce((sum, each) => sum + each[path]![i]!, 0) / 3,
    );
  }
  expectClose(seen.transform, mean);
  expectClose(seen.before, mean);
});

test('clipping by global norm scales all gradients alike, and the event has the norm before and after', async () => {
  const { seen, expected } = await gradientsOfOneStep(1, { globalNorm: 0.5 });
  const norm = globalNormOf(expected[0]!);
  expect(norm).toBeGreaterThan(0.5);
  expect(seen.clip).toMatchObject({ mode: 'globalNorm', limit: 0.5 });
  expect(seen.clip.normBefore).toBeCloseTo(norm, 5);
  expect(seen.clip.normAfter).toBeCloseTo(0.5, 5);
  expectClose(seen.transform, expected[0]!);
  expectClose(
    seen.before,
    scaled(expected[0]!, () => 0.5 / norm),
    5,
  );
});

test('gradients within the global norm stay as they are', async () => {
  const { seen, expected } = await gradientsOfOneStep(1, { globalNorm: 1000 });
  expect(seen.clip.normAfter).toBe(seen.clip.normBefore);
  expectClose(seen.before, expected[0]!);
});

test('clipping by norm limits each parameter on its own', async () => {
  const { seen, expected } = await gradientsOfOneStep(1, { norm: 0.3 });
  const clipped = scaled(expected[0]!, (path) => Math.min(1, 0.3 / normOf(expected[0]![path]!)));
  expectClose(seen.before, clipped, 5);
  expect(seen.clip.normBefore).toBeCloseTo(globalNormOf(expected[0]!), 5);
  expect(seen.clip.normAfter).toBeCloseTo(globalNormOf(clipped), 5);
});

test('clipping by value limits each number', async () => {
  const { seen, expected } = await gradientsOfOneStep(1, { value: 0.05 });
  const clipped = Object.fromEntries(
    Object.entries(expected[0]!).map(([path, values]) => [
      path,
      values.map((value) => Math.max(-0.05, Math.min(0.05, value))),
    ]),
  );
  expectClose(seen.before, clipped);
  expect(seen.clip.normAfter).toBeCloseTo(globalNormOf(clipped), 5);
});

test('without clipping there is no onGradientClip', async () => {
  const { seen } = await gradientsOfOneStep(1);
  expect(seen.clip.normBefore).toBeNaN();
});

import type { TrainableModule } from '@hookline/hook-api';
import { itOn, someOf, TEST_BACKENDS } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { type DebugOptions, debug } from '../src/index.js';
import { countReads, PRETEND_DEVICE, watchedRun } from './watched-run.js';

const model = () =>
  sequential({
    layers: [
      layers.dense({ units: 4, inputShape: [1], activation: 'tanh' }),
      layers.batchNormalization(),
      layers.dropout({ rate: 0.25 }),
      layers.dense({ units: 1 }),
    ],
  });
const numbers = Array.from({ length: 40 }, (_, index) => [index / 10]);
const data = { xs: numbers, ys: numbers };
const ALL: DebugOptions[] = [{}, { activations: true, shapes: 'every' }, { every: 3, nan: 'warn' }];

test.each(someOf(TEST_BACKENDS, 1))(
  'training on %s is the same to the bit with it and without',
  async (backend) => {
    const options = { model, data, batchSize: 4, epochs: 2, backend, optimizer: 'adam' } as const;
    const without = await watchedRun([], options);
    for (const debugOptions of ALL) {
      const watched = await watchedRun([debug(debugOptions)], options);
      expect(watched.weights).toEqual(without.weights);
      expect(watched.result.history).toEqual(without.result.history);
    }
    const onDevice = await watchedRun([PRETEND_DEVICE, debug({ activations: true })], options);
    expect(onDevice.weights).toEqual(without.weights);
  },
);

test('finding something in the middle of a run leaves the rest of it alone, random numbers and averages too', async () => {
  // The gradients of the bad batch are not used, so that what follows can be compared.
  const bad = { xs: [...numbers, [Number.NaN], ...numbers], ys: [...numbers, [0], ...numbers] };
  const options = { model, data: bad, nonFiniteLoss: 'skip' as const };
  const without = await watchedRun([], options);
  const watched = await watchedRun([debug({ nan: 'warn' })], options);
  expect(watched.said).toHaveLength(1);
  expect(watched.weights).toEqual(without.weights);
});

test('the batch that is run again to find the layer leaves no mark in what a forward pass writes', async () => {
  const counting = (): TrainableModule => {
    const weight = tf.variable(tf.scalar(1));
    const passes = tf.variable(tf.scalar(0));
    return {
      parameters: () => ({ weight }),
      buffers: () => ({ passes }),
      forward: (xs) => {
        passes.assign(tf.tidy(() => tf.add(passes, 1)));
        return tf.sqrt(tf.mul(xs as tf.Tensor, weight));
      },
      loss: (outputs) => tf.sum(outputs as tf.Tensor),
    };
  };
  // At 0 the loss is 0 and its gradient is not finite.
  const { weights, said } = await watchedRun([debug({ nan: 'warn' })], {
    model: counting,
    data: { xs: [[1], [0], [1]] },
  });
  expect(said).toHaveLength(1);
  expect(weights.passes).toEqual([3]);
});

test('it keeps no tensor, whether all is well or not', async () => {
  const good = { xs: numbers.slice(0, 6), ys: numbers.slice(0, 6) };
  const bad = { xs: [[1], [Number.NaN]], ys: [[1], [2]] };
  for (const pretend of [[], [PRETEND_DEVICE]]) {
    for (const options of ALL) {
      for (const each of [good, bad]) {
        let before: number | undefined;
        for (let round = 0; round < 2; round++) {
          const hooks = [...pretend, debug(options)];
          const made = model();
          await watchedRun(hooks, { model: made, data: each, optimizer: { name: 'sgd', lr: 0.01 } });
          made.dispose();
          const { numTensors } = tf.memory();
          if (round > 0) expect(numTensors).toBe(before);
          before = numTensors;
        }
      }
    }
  }
});

// Tensors of tfjs-node are of its own copy of tfjs, whose reads are not counted here.
itOn('cpu')('the device is read once in a step that is due, and not at all in another', async () => {
  const steps = 12;
  const short = { xs: numbers.slice(0, steps), ys: numbers.slice(0, steps) };
  const reads = (...options: DebugOptions[]) =>
    countReads(() => watchedRun([PRETEND_DEVICE, ...options.map(debug)], { model, data: short }));
  const without = await reads();
  // The end of the epoch is one more: there all weights are looked at.
  expect(await reads({})).toBe(without + steps + 1);
  expect(await reads({ activations: true })).toBe(without + steps + 1);
  expect(await reads({ every: 4 })).toBe(without + steps / 4 + 1);
});

import type { Hook } from '@hookline/hook-api';
import { regressor } from '@hookline/test-support';
import type * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

// The first input of each sample is its number, the target its number times 10, the weight its number plus 1.
const count = 23;
const samples = {
  xs: Array.from({ length: count }, (_, i) => [i, 0, 0]),
  ys: Array.from({ length: count }, (_, i) => [i * 10]),
  weights: Array.from({ length: count }, (_, i) => i + 1),
};

/** The order of the samples in each epoch. */
async function orders(
  seed: number,
  { epochs = 3, shuffle = true, validation = false } = {},
): Promise<number[][]> {
  const seen: number[][] = [];
  const watch: Hook = {
    name: 'watch',
    onEpochStart: () => void seen.push([]),
    onTrainBatchStart: (_ctx, { batch }) => {
      const [xs, ys, weights] = [batch.xs, batch.ys, batch.weights].map((part) => [
        ...(part as tf.Tensor).dataSync(),
      ]);
      ys!.forEach((y, i) => {
        // Rows stay together.
        expect(y).toBe(xs![i * 3]! * 10);
        expect(weights![i]).toBe(xs![i * 3]! + 1);
        seen.at(-1)!.push(xs![i * 3]!);
      });
    },
  };
  const trainer = quietTrainer({ model: regressor(), seed, hooks: [watch] });
  await trainer.fit({
    train: samples,
    epochs,
    batchSize: 5,
    shuffle,
    ...(validation && { validation: samples }),
  });
  return seen;
}

const inOrder = Array.from({ length: count }, (_, i) => i);

test('each epoch sees every sample once, in an order of its own', async () => {
  const seen = await orders(1);
  for (const order of seen) {
    expect(order).not.toEqual(inOrder);
    expect([...order].sort((a, b) => a - b)).toEqual(inOrder);
  }
  expect(new Set(seen.map(String)).size).toBe(3);
});

test('the order follows the seed, and nothing else', async () => {
  const seen = await orders(1);
  expect(await orders(1)).toEqual(seen);
  expect(await orders(1, { validation: true })).toEqual(seen);
  expect((await orders(2))[0]).not.toEqual(seen[0]);
});

test('shuffle: false keeps the order', async () => {
  expect(await orders(1, { shuffle: false, epochs: 2 })).toEqual([inOrder, inOrder]);
});

test('validation, test and predict keep the order', async () => {
  const seen: number[] = [];
  const look = (batch: { xs: unknown }) => {
    const values = [...(batch.xs as tf.Tensor).dataSync()];
    seen.push(...values.filter((_, i) => i % 3 === 0));
  };
  const watch: Hook = {
    name: 'watch',
    onValidationBatchStart: (_ctx, { batch }) => look(batch),
    onTestBatchStart: (_ctx, { batch }) => look(batch),
    onPredictBatchStart: (_ctx, { batch }) => look(batch),
  };
  const trainer = quietTrainer({ model: regressor(), hooks: [watch] });
  await trainer.validate({ data: samples, batchSize: 5 });
  await trainer.test({ data: samples, batchSize: 5 });
  await trainer.predict({ data: samples, batchSize: 5 });
  expect(seen).toEqual([...inOrder, ...inOrder, ...inOrder]);
});

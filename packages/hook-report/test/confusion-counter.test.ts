import type { BatchEndEvent } from '@hookline/hook-api';
import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { ConfusionCounter, isClassifierLoss } from '../src/collect/confusion-counter.js';

useBackend('cpu');

async function counted(
  loss: string,
  ...batches: readonly { outputs: tf.Tensor | Record<string, tf.Tensor>; ys: tf.Tensor }[]
): Promise<ConfusionCounter> {
  const counter = new ConfusionCounter(loss, 4);
  for (const { outputs, ys } of batches) {
    await counter.add({ outputs, batch: { xs: ys, ys } } as unknown as BatchEndEvent);
  }
  return counter;
}

const SCORES = tf.tensor2d([
  [9, 1, 0],
  [0, 1, 9],
  [0, 9, 1],
]);

test('the largest score is the prediction: labels as numbers and as rows of one are counted alike', async () => {
  const expected = {
    epoch: 5,
    samples: 3,
    counts: [
      [1, 0, 0],
      [0, 0, 1],
      [0, 1, 0],
    ],
  };
  const numbers = await counted('sparseSoftmaxCrossentropy', { outputs: SCORES, ys: tf.tensor1d([0, 1, 2]) });
  expect(numbers.result()).toEqual(expected);
  const rows = tf.tensor2d([
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ]);
  expect((await counted('categoricalCrossentropy', { outputs: SCORES, ys: rows })).result()).toEqual(
    expected,
  );
});

test('one output is compared with one half, or with 0 before the sigmoid', async () => {
  const batch = { outputs: tf.tensor2d([[0.4], [0.6], [-1]]), ys: tf.tensor2d([[0], [0], [1]]) };
  expect((await counted('binaryCrossentropy', batch)).result()!.counts).toEqual([
    [1, 1],
    [1, 0],
  ]);
  expect((await counted('sigmoidCrossentropy', batch)).result()!.counts).toEqual([
    [0, 2],
    [1, 0],
  ]);
});

test('batches add up, to 2,000 samples and no more', async () => {
  const outputs = tf.tile(tf.tensor2d([[1, 0]]), [900, 1]);
  const batch = { outputs, ys: tf.zeros([900]) };
  const two = await counted('softmaxCrossentropy', batch, batch);
  expect([two.isFull, two.result()!.samples]).toEqual([false, 1_800]);
  const three = await counted('softmaxCrossentropy', batch, batch, batch);
  expect([three.isFull, three.result()]).toEqual([
    true,
    {
      epoch: 5,
      samples: 2_000,
      counts: [
        [2_000, 0],
        [0, 0],
      ],
    },
  ]);
});

test('labels that the loss leaves out, or that are not a class, are not counted', async () => {
  const counter = await counted('sparseSoftmaxCrossentropy', {
    outputs: SCORES,
    ys: tf.tensor1d([-1, 7, 2]),
  });
  expect(counter.result()).toMatchObject({
    samples: 1,
    counts: [
      [0, 0, 0],
      [0, 0, 0],
      [0, 1, 0],
    ],
  });
});

test.each<[string, string, { outputs: tf.Tensor | Record<string, tf.Tensor>; ys: tf.Tensor }]>([
  ['images of classes', 'softmaxCrossentropy', { outputs: tf.zeros([2, 4, 4, 3]), ys: tf.zeros([2, 4, 4]) }],
  ['more than 50 classes', 'softmaxCrossentropy', { outputs: tf.zeros([2, 51]), ys: tf.zeros([2]) }],
  ['one class', 'softmaxCrossentropy', { outputs: tf.zeros([2, 1]), ys: tf.zeros([2]) }],
  ['several labels for a sample', 'binaryCrossentropy', { outputs: tf.zeros([2, 3]), ys: tf.zeros([2, 3]) }],
  [
    'several outputs',
    'softmaxCrossentropy',
    { outputs: { a: tf.zeros([2, 2]), b: tf.zeros([2, 2]) }, ys: tf.zeros([2]) },
  ],
])('%s have no matrix, and are not looked at again', async (_what, loss, batch) => {
  const counter = await counted(loss, batch);
  expect([counter.isFull, counter.result()]).toEqual([true, undefined]);
});

test('a validation without a sample has no matrix', async () => {
  expect((await counted('softmaxCrossentropy')).result()).toBeUndefined();
});

test('only losses of classifiers are counted', () => {
  expect(isClassifierLoss('sparseCategoricalCrossentropy')).toBe(true);
  for (const loss of ['meanSquaredError', undefined, 'constructor', { name: 'x' }])
    expect(isClassifierLoss(loss)).toBe(false);
});

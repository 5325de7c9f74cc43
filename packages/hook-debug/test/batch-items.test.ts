import '@hookline/trainer'; // registers a backend
import type { Batch } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { batchItems, batchShape, describeItems, joinBatch } from '../src/bundle/batch-items.js';

beforeAll(() => tf.setBackend('cpu'));

const scalar = (value: number) => tf.scalar(value);

const BATCHES: Record<string, () => Batch> = {
  'one tensor': () => ({ xs: tf.ones([2, 3]) }),
  'inputs and targets': () => ({ xs: tf.ones([2, 3]), ys: tf.zeros([2, 1]) }),
  'with weights': () => ({ xs: tf.ones([2]), ys: tf.zeros([2]), weights: tf.tensor1d([0.5, 2]) }),
  'a list of inputs': () => ({ xs: [scalar(1), scalar(2), scalar(3)], ys: scalar(4) }),
  'a list of one': () => ({ xs: [scalar(1)] }),
  'records of both': () => ({
    xs: { image: tf.ones([1, 2, 2, 1]), 'a/b': scalar(1) },
    ys: { label: scalar(3) },
  }),
};

describe.each(Object.entries(BATCHES))('a batch of %s', (_name, make) => {
  test('is the same after it was taken apart and put together', () => {
    const batch = make();
    const items = new Map(batchItems(batch));
    // Through JSON, as a bundle keeps it.
    const shape = JSON.parse(JSON.stringify(batchShape(batch)));
    expect(joinBatch(shape, (name) => items.get(name)!)).toEqual(batch);
  });
});

test('every item has a name that says where it is', () => {
  const batch: Batch = {
    xs: { image: scalar(1), text: scalar(2) },
    ys: [scalar(3), scalar(4)],
    weights: tf.tensor1d([1]),
  };
  expect(batchItems(batch).map(([name]) => name)).toEqual(['xs/image', 'xs/text', 'ys/0', 'ys/1', 'weights']);
});

test('shapes and dtypes are described in one line', () => {
  const batch: Batch = {
    xs: tf.ones([2, 3]),
    ys: { count: tf.tensor1d([1, 2], 'int32'), ok: tf.scalar(true, 'bool') },
  };
  expect(describeItems(batch)).toBe('xs float32 [2, 3], ys/count int32 [2], ys/ok bool []');
});

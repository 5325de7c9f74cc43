import type { Batch } from '@hookline/hook-api';
import { errorOf, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Collation, collateBatch, type Sample, stackSamples } from '../../src/batch/collate.js';
import { tensorsIn } from '../../src/batch/tensors-in.js';
import { isTensorBatch, takeBatch, toBatch } from '../../src/batch/to-batch.js';
import { expectError, plain, valuesOf } from '../plain-batches.js';

const context = { name: 'train', shapes: {} };

describe.each(['cpu', 'wasm'] as const)('on %s', (backend) => {
  beforeAll(() => useBackend(backend));

  const forms: [string, (value: number) => Sample, unknown][] = [
    [
      'numbers',
      (value) => ({ xs: value, ys: -value, weights: 1 }),
      { xs: [1, 2], ys: [-1, -2], weights: [1, 1] },
    ],
    ['truth values', (value) => ({ xs: (value === 1) as never }), { xs: [1, 0] }],
    [
      'arrays',
      (value) => ({ xs: [value, 0] }),
      {
        xs: [
          [1, 0],
          [2, 0],
        ],
      },
    ],
    [
      'nested arrays',
      (value) => ({ xs: [[value], [0]] }),
      {
        xs: [
          [[1], [0]],
          [[2], [0]],
        ],
      },
    ],
    [
      'typed arrays',
      (value) => ({ xs: Float32Array.of(value, 0) }),
      {
        xs: [
          [1, 0],
          [2, 0],
        ],
      },
    ],
    [
      'tensors',
      (value) => ({ xs: tf.tensor1d([value, 0]) }),
      {
        xs: [
          [1, 0],
          [2, 0],
        ],
      },
    ],
    [
      'records, however deep',
      (value) => ({ xs: { a: value, b: { c: [value] } } }),
      { xs: { a: [1, 2], 'b/c': [[1], [2]] } },
    ],
  ];

  test.each(forms)('samples of %s are stacked, and nothing is left behind', async (_name, make, expected) => {
    const before = tf.memory().numTensors;
    const collation: Collation<Sample> = { collate: stackSamples, owned: true };
    const batch = await collateBatch([make(1), make(2)], 0, collation, context);
    expect(plain(batch)).toEqual(expected);
    expect(tf.memory().numTensors).toBe(before);
  });

  test('int32 stays int32', async () => {
    const collation: Collation<Sample> = { collate: stackSamples, owned: true };
    const batch = await collateBatch([{ xs: Int32Array.of(1) }], 0, collation, context);
    expect((batch.xs as tf.Tensor).dtype).toBe('int32');
  });
});

describe('who owns which tensor', () => {
  beforeAll(() => useBackend('cpu'));
  const items = () => [tf.tensor1d([1]), tf.tensor1d([2])];

  test('ours that the batch does not hold are disposed', async () => {
    const [first, second] = items() as [tf.Tensor, tf.Tensor];
    const batch = await collateBatch(
      [first, second],
      0,
      { collate: ([one]) => ({ xs: one! }), owned: true },
      context,
    );
    expect(batch.xs).toBe(first);
    expect([first.isDisposed, second.isDisposed]).toEqual([false, true]);
  });

  test('the user’s are cloned where the batch holds them, and never disposed', async () => {
    const [first, second] = items() as [tf.Tensor, tf.Tensor];
    const collation: Collation<tf.Tensor> = { collate: ([one]) => ({ xs: one! }), owned: false };
    const batch = await collateBatch([first, second], 0, collation, context);
    expect(batch.xs).not.toBe(first);
    tf.dispose(batch.xs as tf.Tensor);
    expect([first.isDisposed, second.isDisposed]).toEqual([false, false]);
  });

  test('ours are disposed when collate fails, the user’s are not', async () => {
    const fail = () => {
      throw new Error('no');
    };
    for (const owned of [true, false]) {
      const given = items();
      await errorOf(collateBatch(given, 0, { collate: fail, owned }, context));
      expect(given.every(({ isDisposed }) => isDisposed === owned)).toBe(true);
    }
  });

  test('a tensor that collate makes and the batch does not hold is disposed', async () => {
    let spare: tf.Tensor | undefined;
    const collate = () => {
      spare = tf.scalar(1);
      return { xs: [[1]], ys: [tf.tensor1d([1]), spare] } as never;
    };
    const before = tf.memory().numTensors;
    const error = await errorOf(collateBatch([1], 0, { collate, owned: true }, context));
    expect(error.code).toBe('BAD_DATA');
    expect(tf.memory().numTensors).toBe(before);
    expect(spare!.isDisposed).toBe(true);
  });
});

describe('what the user gives as a batch', () => {
  beforeAll(() => useBackend('cpu'));

  test('is used as it is where it is tensors', () => {
    const batch: Batch = { xs: { a: tf.scalar(1) }, ys: tf.scalar(2) };
    expect(toBatch(batch, 0, context)).toBe(batch);
    expect(takeBatch(batch, 0, context)).toBe(batch);
    expect((batch.ys as tf.Tensor).isDisposed).toBe(false);
  });

  test('becomes tensors where it is numbers; tensors among them are copied, and disposed if they are ours', () => {
    const mixed = () => ({ xs: tf.tensor2d([[1]]), ys: [[2]] });
    const [kept, taken] = [mixed(), mixed()];
    for (const batch of [toBatch(kept, 0, context), takeBatch(taken, 0, context)]) {
      expect(valuesOf(batch)).toEqual({ xs: [[1]], ys: [[2]] });
    }
    expect([kept.xs.isDisposed, taken.xs.isDisposed]).toEqual([false, true]);
  });

  test.each([undefined, null, 5, 'text', { ys: [1] }])('without xs is named: %j', async (given) => {
    const error = await errorOf(() => toBatch(given as never, 7, context));
    expectError(error, 'BAD_DATA', 'Batch 8 of loader "train" has no xs', '{ samples: true }');
  });

  test('counts as tensors only when it is flat', () => {
    const tensor = tf.scalar(1);
    expect(isTensorBatch({ xs: tensor })).toBe(true);
    expect(isTensorBatch({ xs: [tensor, tensor], weights: tensor })).toBe(true);
    expect(isTensorBatch({ xs: { a: { b: tensor } } })).toBe(false);
    expect(isTensorBatch({ xs: tensor, ys: Float32Array.of(1) })).toBe(false);
  });
});

test('tensors are found in anything plain, and not in other objects', async () => {
  await useBackend('cpu');
  const tensor = tf.scalar(1);
  class Connection {
    tensor = tensor;
  }
  expect(tensorsIn({ a: [tensor, { b: tensor }], c: 1, d: null })).toHaveLength(2);
  expect(tensorsIn(new Connection())).toEqual([]);
  expect(tensorsIn(new Float32Array(3))).toEqual([]);
  expect(tensorsIn(Object.assign(Object.create(null), { a: tensor }))).toHaveLength(1);
});

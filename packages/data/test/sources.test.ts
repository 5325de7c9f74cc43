import type { Batch } from '@hookline/hook-api';
import { regression, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Data } from '../src/index.js';
import { feedError, feedOf, type PlainBatch, readFeed } from './plain-batches.js';

beforeAll(() => useBackend('cpu'));

const { xs, ys } = regression(10);
const flat = (values: number[][]) => Float32Array.from(values.flat());

const shapes = {
  inputs: [{ name: 'hidden_input', shape: [3] }],
  outputs: [{ name: 'out', shape: [1] }],
};

/** Two epochs in batches of 4, 4 and 2. */
function read(data: Data): Promise<PlainBatch[]> {
  return readFeed(feedOf(data, { batchSize: 4, shapes }), 2);
}

/** The same batches, one after the other. */
function tensorBatches(): Batch[] {
  return [0, 4, 8].map((start) => ({
    xs: tf.tensor2d(xs.slice(start, start + 4)),
    ys: tf.tensor2d(ys.slice(start, start + 4)),
  }));
}

describe('the same samples make the same batches, as', () => {
  let expected: PlainBatch[];
  beforeAll(async () => {
    expected = await read({ xs: tf.tensor2d(xs), ys: tf.tensor2d(ys) });
  });

  const sources: [string, () => Data][] = [
    ['tensors', () => ({ xs: tf.tensor2d(xs), ys: tf.tensor2d(ys) })],
    ['typed arrays', () => ({ xs: flat(xs), ys: flat(ys) })],
    ['typed arrays of double precision', () => ({ xs: Float64Array.from(xs.flat()), ys: flat(ys) })],
    ['nested arrays', () => ({ xs, ys })],
    ['an array of batches of tensors', tensorBatches],
    [
      'an array of batches of numbers',
      () => [0, 4, 8].map((start) => ({ xs: xs.slice(start, start + 4), ys: ys.slice(start, start + 4) })),
    ],
    [
      'a function that returns a generator',
      () =>
        function* () {
          yield* tensorBatches();
        },
    ],
    [
      'a function that returns an async generator',
      () =>
        async function* () {
          for (const batch of tensorBatches()) {
            await Promise.resolve();
            yield batch;
          }
        },
    ],
    [
      'a generator of typed arrays',
      () =>
        function* () {
          for (const start of [0, 4, 8])
            yield { xs: flat(xs.slice(start, start + 4)), ys: tf.tensor2d(ys.slice(start, start + 4)) };
        },
    ],
    ['an iterable object', () => ({ [Symbol.iterator]: () => tensorBatches()[Symbol.iterator]() })],
    [
      'a loader written by hand',
      () => ({ name: 'mine', batches: 3, owned: true, epoch: () => tensorBatches() }),
    ],
  ];

  test.each(sources)('%s', async (_name, make) => {
    expect(expected).toHaveLength(6);
    expect(await read(make())).toEqual(expected);
  });

  test('a record of inputs, by name', async () => {
    const named = expected.map((batch) => ({ xs: { hidden_input: batch.xs }, ys: { out: batch.ys } }));
    expect(await read({ xs: { hidden_input: flat(xs) }, ys: { out: ys } })).toEqual(named);
  });
});

test('batches in an array remain the user’s; those of a generator are handed over', async () => {
  const kept = tensorBatches();
  await read(kept);
  expect(kept.map((batch) => (batch.xs as tf.Tensor).isDisposed)).toEqual([false, false, false]);
  tf.dispose(kept as never);
  const generate = function* () {
    yield* tensorBatches();
  };
  for await (const { batch, owned } of feedOf(generate).epoch(0)) {
    expect(owned).toBe(true);
    tf.dispose(batch as never);
  }
});

test('a table of tensors remains the user’s', async () => {
  const table = { xs: tf.tensor2d(xs), ys: tf.tensor2d(ys), weights: tf.ones([10]) };
  await read(table);
  expect([table.xs, table.ys, table.weights].some(({ isDisposed }) => isDisposed)).toBe(false);
  tf.dispose(table);
});

test('a generator that was already read is named, with what to do', async () => {
  const once = (function* () {
    yield* tensorBatches();
  })();
  const error = await feedError(once);
  expect(error.code).toBe('BAD_DATA');
  expect(error.message).toContain('Loader "train" gave no batch. An iterator can be read only once');
  expect(error.message).toContain('give a function that starts a new one each time');
});

test('several named loaders follow one another', async () => {
  const seen: string[] = [];
  const data: Data = {
    easy: { xs, ys },
    hard: tensorBatches(),
    odd: { xs: flat(xs.slice(0, 3)), ys: flat(ys.slice(0, 3)) },
  };
  for await (const { batch, ...place } of feedOf(data, { batchSize: 8, shapes }).epoch(0)) {
    const { batchIndex, loaderIndex, loaderName } = place;
    seen.push(`${batchIndex} ${loaderIndex} ${loaderName} ${(batch.xs as tf.Tensor).shape[0]}`);
  }
  expect(seen).toEqual(['0 0 easy 8', '1 0 easy 2', '2 1 hard 4', '3 1 hard 4', '4 1 hard 2', '5 2 odd 3']);
});

test('a typed array takes the shape the model expects; one value per sample makes class numbers', async () => {
  const wanted = {
    inputs: [{ name: 'in', shape: [2, 3] }],
    outputs: [{ name: 'out', shape: [3], classes: 3 }],
  };
  const data = { xs: new Uint8Array(24), ys: Uint8Array.of(0, 1, 2, 0) };
  for await (const { batch } of feedOf(data, { shapes: wanted }).epoch(0)) {
    expect([(batch.xs as tf.Tensor).shape, (batch.ys as tf.Tensor).shape]).toEqual([[4, 2, 3], [4]]);
  }
});

test('an epoch that is left early closes the generator', async () => {
  let closed = false;
  const endless = async function* () {
    try {
      for (;;) yield tensorBatches()[0]!;
    } finally {
      closed = true;
    }
  };
  for await (const { batchIndex } of feedOf(endless).epoch(0)) if (batchIndex === 2) break;
  expect(closed).toBe(true);
});

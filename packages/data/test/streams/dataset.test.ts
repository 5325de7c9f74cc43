import { regression, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfd from '@tensorflow/tfjs-data';
import { beforeAll, expect, test } from 'vitest';
import { type Data, DataLoader, type Dataset } from '../../src/index.js';
import { epochOf, feedOf, readFeed } from '../plain-batches.js';

beforeAll(() => useBackend('cpu'));

const { xs, ys } = regression(10);

/** Elements behind the interface of a `tf.data` dataset: each `iterator()` starts over, and has only `next()`. */
function dataset<Item>(make: () => Item[], size: number | null = null): Dataset<Item> & { opened: number } {
  return {
    size,
    opened: 0,
    async iterator() {
      this.opened++;
      const items = make()[Symbol.iterator]();
      return { next: async () => items.next() as IteratorResult<Item> };
    },
    async forEachAsync(use) {
      for (const item of make()) use(item);
    },
  };
}

const batches = () =>
  [0, 4, 8].map((start) => ({
    xs: tf.tensor2d(xs.slice(start, start + 4)),
    ys: tf.tensor2d(ys.slice(start, start + 4)),
  }));

test('a dataset of batches gives the batches of the same table, opened again in each epoch', async () => {
  const expected = await readFeed(feedOf({ xs, ys }, { batchSize: 4 }), 2);
  const read = async (data: Data) => {
    const feed = feedOf(data);
    return { announced: feed.batches, batches: await readFeed(feed, 2) };
  };
  const known = dataset(batches, 3);
  expect(await read(known)).toEqual({ announced: 3, batches: expected });
  expect(known.opened).toBe(2);
  expect(await read(dataset(batches))).toEqual({ announced: undefined, batches: expected });
  expect((await read(dataset(batches, Number.POSITIVE_INFINITY))).announced).toBeUndefined();
  expect((await read(() => dataset(batches))).batches).toEqual(expected);
});

test('a dataset of single samples is grouped', async () => {
  const samples = () => xs.map((row, i) => ({ xs: tf.tensor1d(row), ys: tf.tensor1d(ys[i]!) }));
  const loader = new DataLoader(dataset(samples, 10), { samples: true, batchSize: 4 });
  const read = await epochOf(loader);
  const rounded = (rows: unknown) => (rows as number[][]).map((row) => row.map((value) => value.toFixed(5)));
  expect(read.map((batch) => (batch.xs as []).length)).toEqual([4, 4, 2]);
  expect(rounded(read.flatMap((batch) => batch.xs))).toEqual(rounded(xs));
});

test('its tensors are handed over: whoever reads them disposes them', async () => {
  const made: tf.Tensor[] = [];
  const data = dataset(() => {
    const all = batches();
    made.push(...all.flatMap((batch) => [batch.xs, batch.ys]));
    return all;
  });
  for await (const { batch, owned } of feedOf(data).epoch(0)) {
    expect(owned).toBe(true);
    tf.dispose(batch as never);
  }
  expect(made).toHaveLength(6);
  expect(made.every(({ isDisposed }) => isDisposed)).toBe(true);
});

test('those of the real tf.data give the batches of the same table, and leave nothing behind', async () => {
  const rows = xs.map((row, i) => ({ xs: row, ys: ys[i]! }));
  const read = async (data: Data) => {
    const before = tf.memory().numTensors;
    const batches = await readFeed(feedOf(data, { batchSize: 4 }), 2);
    expect(tf.memory().numTensors).toBe(before);
    return batches;
  };
  const expected = await read({ xs, ys });
  expect(await read(tfd.array(rows).batch(4))).toEqual(expected);
  expect(await read(tfd.array(rows).batch(4).prefetch(2))).toEqual(expected);
  expect(await read(new DataLoader(tfd.array(rows), { samples: true }))).toEqual(expected);
});

test('into how many batches its samples are grouped is known where it knows its size', () => {
  const defaults = { name: 'train', batchSize: 4, shuffle: false, seed: 1, shapes: undefined };
  const announced = (size: number | null, dropLast: boolean) =>
    new DataLoader(
      dataset(() => [], size),
      { samples: true, dropLast },
    ).forRun(defaults).batches;
  expect([announced(10, false), announced(10, true)]).toEqual([3, 2]);
  expect([announced(null, false), announced(Infinity, false)]).toEqual([undefined, undefined]);
});

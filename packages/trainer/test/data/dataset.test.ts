import { regression, regressor, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfd from '@tensorflow/tfjs-data';
import { beforeAll, expect, test } from 'vitest';
import { type Data, DataLoader, type Dataset, selectBackend } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';
import { epochOf } from './batches-of-loader.js';

beforeAll(() => selectBackend({ backend: 'cpu', root: '.' }));

const { xs, ys } = regression(10);

/** Elements behind the interface of a `tf.data` dataset: each `iterator()` begins anew, and has only `next()`. */
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

test('a dataset of batches trains like the same table, opened anew each epoch', async () => {
  const train = async (data: never) => {
    const model = regressor();
    const announced: unknown[] = [];
    const hook = {
      name: 'watch',
      onTrainStart: (_ctx: object, { batchesPerEpoch }: { batchesPerEpoch: unknown }) =>
        void announced.push(batchesPerEpoch),
    };
    await quietTrainer({ model, hooks: [hook] }).fit({
      train: data,
      epochs: 2,
      batchSize: 4,
      shuffle: false,
    });
    return { weights: weightsOf(model), announced };
  };
  const expected = (await train({ xs, ys } as never)).weights;
  const known = dataset(batches, 3);
  expect(await train(known as never)).toEqual({ weights: expected, announced: [3] });
  expect(known.opened).toBe(2);
  expect(await train(dataset(batches) as never)).toEqual({ weights: expected, announced: [undefined] });
  expect((await train(dataset(batches, Number.POSITIVE_INFINITY) as never)).announced).toEqual([undefined]);
  expect((await train((() => dataset(batches)) as never)).weights).toEqual(expected);
});

test('a dataset of single samples is grouped', async () => {
  const samples = () => xs.map((row, i) => ({ xs: tf.tensor1d(row), ys: tf.tensor1d(ys[i]!) }));
  const loader = new DataLoader(dataset(samples, 10), { samples: true, batchSize: 4 });
  const read = await epochOf(loader);
  const rounded = (rows: unknown) => (rows as number[][]).map((row) => row.map((value) => value.toFixed(5)));
  expect(read.map((batch) => (batch.xs as []).length)).toEqual([4, 4, 2]);
  expect(rounded(read.flatMap((batch) => batch.xs))).toEqual(rounded(xs));
});

test('its tensors are disposed after use', async () => {
  const made: tf.Tensor[] = [];
  const data = dataset(() => {
    const all = batches();
    made.push(...all.flatMap((batch) => [batch.xs, batch.ys]));
    return all;
  });
  await quietTrainer({ model: regressor() }).fit({ train: data, epochs: 2 });
  expect(made).toHaveLength(12);
  expect(made.every(({ isDisposed }) => isDisposed)).toBe(true);
});

test('those of the real tf.data train like the same table, and leave nothing behind', async () => {
  const rows = xs.map((row, i) => ({ xs: row, ys: ys[i]! }));
  const train = async (data: Data) => {
    const model = regressor();
    const trainer = quietTrainer({ model, optimizer: 'sgd' });
    await trainer.ready();
    const before = tf.memory().numTensors;
    await trainer.fit({ train: data, epochs: 2, batchSize: 4, shuffle: false });
    expect(tf.memory().numTensors).toBe(before);
    return weightsOf(model);
  };
  const expected = await train({ xs, ys });
  expect(await train(tfd.array(rows).batch(4))).toEqual(expected);
  expect(await train(tfd.array(rows).batch(4).prefetch(2))).toEqual(expected);
  expect(await train(new DataLoader(tfd.array(rows), { samples: true }))).toEqual(expected);
});

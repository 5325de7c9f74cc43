import { leaves } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { type Data, DataLoader, Feed, loadersOf } from '../../src/index.js';

const NUMBERS = Array.from({ length: 11 }, (_, index) => index);
const table = { xs: NUMBERS.map((number) => [number]), ys: NUMBERS.map((number) => [number * 10]) };

function* batches() {
  for (let first = 0; first < 11; first += 4) {
    const rows = NUMBERS.slice(first, first + 4);
    yield { xs: tf.tensor2d(rows, [rows.length, 1]), ys: tf.tensor2d(rows, [rows.length, 1]) };
  }
}

const own = {
  name: 'own',
  batches: 3,
  owned: true,
  epoch: () => batches(),
};

/** What each process reads, batch by batch: the numbers of its samples, none where it has only padding. */
async function sharesOf(data: Data, world: number, shuffle = false): Promise<number[][][]> {
  const ranks = Array.from({ length: world }, (_, rank) => rank);
  return Promise.all(
    ranks.map(async (rank) => {
      const share = { rank, world };
      const loaders = loadersOf(data, 'train', { batchSize: 4, shuffle, seed: 7, shapes: undefined, share });
      const feed = new Feed(loaders);
      const read: number[][] = [];
      for await (const { batch, padding, owned } of feed.epoch(0)) {
        const values = [...(leaves(batch.xs)[0] as tf.Tensor).dataSync()];
        expect(owned).toBe(true);
        expect(values.length).toBeGreaterThan(0);
        read.push(padding ? [] : values);
        tf.dispose([...leaves(batch.xs), ...leaves(batch.ys)]);
      }
      return read;
    }),
  );
}

const SOURCES: [string, () => Data][] = [
  ['a table', () => table],
  [
    'samples by number',
    () => new DataLoader({ length: 11, at: (index: number) => ({ xs: [index], ys: [index] }) }),
  ],
  ['batches in an array', () => [...batches()]],
  ['a stream of batches', () => () => batches()],
  ['a loader somebody wrote', () => own],
];

for (const [name, make] of SOURCES) {
  test(`of ${name}, processes read every sample of each batch once, in equally many batches`, async () => {
    const before = tf.memory().numTensors;
    const data = make();
    const given = tf.memory().numTensors;
    for (const world of [1, 2, 3, 4]) {
      const shares = await sharesOf(data, world);
      expect(shares.map((share) => share.length)).toEqual(shares.map(() => 3));
      const joined = [0, 1, 2].map((batch) => shares.flatMap((share) => share[batch]));
      expect(joined).toEqual([
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9, 10],
      ]);
    }
    expect(tf.memory().numTensors).toBe(given);
    if (Array.isArray(data)) tf.dispose(data as never);
    expect(tf.memory().numTensors).toBe(before);
  });
}

test('the shuffled batches are the same for every number of processes', async () => {
  const batchesOf = async (world: number) => {
    const shares = await sharesOf(table, world, true);
    return [0, 1, 2].map((batch) => shares.flatMap((share) => share[batch]));
  };
  const alone = await batchesOf(1);
  expect(alone.flat()).not.toEqual(NUMBERS);
  expect(await batchesOf(2)).toEqual(alone);
  expect(await batchesOf(5)).toEqual(alone);
});

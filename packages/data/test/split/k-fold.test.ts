import { errorOf, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { csv, DataLoader, kFold, splitData } from '../../src/index.js';
import { epochOf, expectError, feedOf, numbersOf, readFeed } from '../plain-batches.js';

beforeAll(() => useBackend('cpu'));

const range = Array.from({ length: 23 }, (_, i) => i);
const table = { xs: range.map((i) => [i]), ys: range.map((i) => [i * 10]) };
const rising = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

async function heldBack(folds: ReturnType<typeof kFold>): Promise<number[][]> {
  const held: number[][] = [];
  for (const { validation } of folds) held.push(await numbersOf(validation as DataLoader));
  return held;
}

describe('kFold', () => {
  test.each([2, 5, 23])(
    '%i folds: each sample is held back once, and folds differ by at most one',
    async (k) => {
      const folds = kFold(table, k, { seed: 1 });
      expect(folds.map(({ fold }) => fold)).toEqual(range.slice(0, k));
      const held = await heldBack(folds);
      expect(rising(held.flat())).toEqual(range);
      const sizes = held.map(({ length }) => length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      for (const { fold, train } of folds) {
        const learnt = await numbersOf(train);
        expect(rising([...learnt, ...held[fold]!])).toEqual(range);
      }
    },
  );

  test('the folds follow the seed', async () => {
    const folds = (seed?: number) => heldBack(kFold(table, 4, seed === undefined ? {} : { seed }));
    expect(await folds(1)).toEqual(await folds(1));
    expect(await folds(2)).not.toEqual(await folds(1));
    expect(await folds()).toEqual(await folds(0));
  });

  test('shuffle: false holds back one piece after the other', async () => {
    expect((await heldBack(kFold(table, 3, { shuffle: false }))).flat()).toEqual(range);
  });

  test('of a part of the data, and of several sources', async () => {
    const { train, validation } = splitData(table, 0.2);
    const held = await heldBack(kFold(train, 3));
    expect(rising([...held.flat(), ...(await numbersOf(validation))])).toEqual(range);

    const [first] = kFold({ a: table, b: new DataLoader(table) }, 23);
    expect(await readFeed(feedOf(first!.validation))).toHaveLength(2);
  });

  test('a position in one fold is not one in another', async () => {
    const same = { xs: Array.from({ length: 10 }, () => [1]) };
    const [one, two] = kFold(new DataLoader(same, { batchSize: 2 }), 5);
    for await (const batch of one!.train) {
      tf.dispose(batch.xs);
      break;
    }
    const state = one!.train.saveState();
    expect((await errorOf(() => two!.train.loadState(state))).code).toBe('CHECKPOINT_MISMATCH');
  });

  test.each([1, 0, 2.5, Number.NaN, '5', undefined])('k = %s is refused', async (k) => {
    expectError(await errorOf(() => kFold(table, k as number)), 'BAD_OPTIONS', String(k), 'at least 2');
  });

  test('so are more folds than samples, streams and unknown options', async () => {
    const [first] = kFold(table, 24);
    expectError(await errorOf(epochOf(first!.train)), 'BAD_DATA', '23 samples', '24 folds');
    expectError(await errorOf(() => kFold(csv('data.csv') as never, 5)), 'BAD_DATA', 'cannot be split');
    expectError(await errorOf(() => kFold(table, 5, { folds: 1 } as never)), 'BAD_OPTIONS', 'kFold()');
  });
});

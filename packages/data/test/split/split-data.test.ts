import { errorOf, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { combine, csv, DataLoader, splitData } from '../../src/index.js';
import { epochOf, expectError, feedOf, numbersOf, readFeed } from '../plain-batches.js';

beforeAll(() => useBackend('cpu'));

const range = Array.from({ length: 20 }, (_, i) => i);
const xs = range.map((i) => [i]);
const table = { xs, ys: range.map((i) => [i * 10]), weights: range.map((i) => i + 1) };
const rising = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

describe('splitData', () => {
  test('every sample is in one of the two parts, with its target and its weight, in the order of the data', async () => {
    const { train, validation } = splitData(table, 0.2, { seed: 1 });
    const [learnt, held] = [await epochOf(train), await epochOf(validation)];
    const numbers = [learnt, held].map((batches) =>
      batches.flatMap((each) => (each.xs as number[][]).flat()),
    );
    expect(numbers.map(({ length }) => length)).toEqual([16, 4]);
    expect(rising(numbers.flat())).toEqual(range);
    for (const part of numbers) expect(part).toEqual(rising(part));
    for (const { xs: inputs, ys, weights } of [...learnt, ...held]) {
      expect(ys).toEqual((inputs as number[][]).map(([x]) => [x! * 10]));
      expect(weights).toEqual((inputs as number[][]).map(([x]) => x! + 1));
    }
  });

  test('sorted data does not leave a validation set of one class', async () => {
    const sorted = { xs: Array.from({ length: 300 }, (_, i) => [Math.floor(i / 100)]) };
    const held = await numbersOf(splitData(sorted, 0.2).validation);
    expect(new Set(held)).toEqual(new Set([0, 1, 2]));
  });

  test('the split follows the seed, and nothing else', async () => {
    const held = (seed: number, data: ConstructorParameters<typeof DataLoader>[0] = table) =>
      numbersOf(splitData(data as typeof table, 0.3, { seed }).validation);
    expect(await held(1)).toEqual(await held(1));
    expect(await held(2)).not.toEqual(await held(1));
    expect(await held(1, new DataLoader(table, { batchSize: 3, shuffle: true, seed: 9 }))).toEqual(
      await held(1),
    );
  });

  test('shuffle: false holds back the last part', async () => {
    const { train, validation } = splitData(table, 0.25, { shuffle: false });
    expect(await numbersOf(train)).toEqual(range.slice(0, 15));
    expect(await numbersOf(validation)).toEqual(range.slice(15));
  });

  test('a DataLoader keeps its options; its validation part is neither shuffled nor cut short', async () => {
    const loader = new DataLoader(table, { batchSize: 3, dropLast: true, shuffle: true, seed: 2 });
    const { train, validation } = splitData(loader, 0.2);
    const sizes = async (part: DataLoader) => (await epochOf(part)).map((batch) => (batch.xs as []).length);
    expect(await sizes(train)).toEqual([3, 3, 3, 3, 3]);
    expect(await sizes(validation)).toEqual([3, 1]);
    const held = await numbersOf(validation);
    expect(held).toEqual(rising(held));
    const [first, second] = [await numbersOf(train), await numbersOf(train)];
    expect(first).not.toEqual(second);
  });

  test('tensors and typed arrays are read where they are: nothing is copied, and nothing is left behind', async () => {
    const tensors = { xs: tf.tensor2d(xs), ys: tf.tensor2d(table.ys) };
    const before = tf.memory().numTensors;
    const parts = splitData(tensors, 0.2, { seed: 1 });
    expect(tf.memory().numTensors).toBe(before);
    const held = await numbersOf(parts.validation);
    expect(held).toEqual(await numbersOf(splitData(table, 0.2, { seed: 1 }).validation));
    expect(tf.memory().numTensors).toBe(before);
    tf.dispose(tensors);

    const typed = { xs: Float32Array.from(range), ys: Int32Array.from(range) };
    const { validation } = splitData(new DataLoader(typed, { shapes: { xs: [1] } }), 0.2, { seed: 1 });
    expect(await numbersOf(validation)).toEqual(held);
  });

  test('samples by number are fetched only for their own part', async () => {
    const fetched: number[] = [];
    const at = async (index: number) => {
      fetched.push(index);
      return { xs: [index] };
    };
    const loader = new DataLoader({ length: 20, at }, { samples: true });
    const held = await numbersOf(splitData(loader, 0.2, { seed: 1 }).validation);
    expect(fetched).toEqual(held);
    const list = new DataLoader(
      xs.map((x) => ({ xs: x })),
      { samples: true },
    );
    expect(await numbersOf(splitData(list, 0.2, { seed: 1 }).validation)).toEqual(held);
  });

  test('a part can be split again', async () => {
    const { train: rest, validation: testing } = splitData(table, 0.2, { seed: 1 });
    const { train, validation } = splitData(rest, 0.25, { seed: 2 });
    const parts = [await numbersOf(train), await numbersOf(validation), await numbersOf(testing)];
    expect(parts.map(({ length }) => length)).toEqual([12, 4, 4]);
    expect(rising(parts.flat())).toEqual(range);
  });

  test('several sources are split each, and stay combined', async () => {
    const other = { xs: range.map((i) => [100 + i]) };
    const data = combine({ one: { xs }, other }, { strategy: 'roundRobin' });
    const { train, validation } = splitData(data, 0.5, { seed: 1 });
    const seen = async (part: typeof train) =>
      (await readFeed(feedOf(part, { batchSize: 5 }))).map((batch) => (batch.xs as number[][]).flat());
    const [learnt, held] = [await seen(train), await seen(validation)];
    expect(learnt.map(([first]) => first! >= 100)).toEqual([false, true, false, true]);
    expect(rising([...learnt, ...held].flat())).toEqual([...range, ...range.map((i) => 100 + i)]);
    const inOne = held.flat().filter((number) => number < 100);
    const inOther = held.flat().filter((number) => number >= 100);
    expect(inOther.map((number) => number - 100)).not.toEqual(inOne);
  });

  test('a position of one split is not one of another', async () => {
    const same = new DataLoader({ xs: range.map(() => [1]) }, { batchSize: 4 });
    const make = (share: number, seed: number) => splitData(same, share, { seed }).train;
    const first = make(0.2, 1);
    for await (const batch of first) {
      tf.dispose(batch.xs);
      break;
    }
    const state = first.saveState();
    make(0.2, 1).loadState(state);
    expect((await errorOf(() => make(0.2, 2).loadState(state))).code).toBe('CHECKPOINT_MISMATCH');
    expect((await errorOf(() => make(0.21, 1).loadState(state))).code).toBe('CHECKPOINT_MISMATCH');
  });

  test('a bad value is named by its number in the whole table', async () => {
    const broken = range.map((i) => [i === 13 ? Number.NaN : i]);
    const { train, validation } = splitData({ xs: broken }, 0.5);
    for (const part of [train, validation]) {
      expectError(await errorOf(readFeed(feedOf(part))), 'BAD_DATA', 'sample 13');
    }
  });
});

describe('what cannot be split is refused', () => {
  test.each<[string, () => unknown, string]>([
    ['a stream', () => async function* () {}, 'a stream of whole batches'],
    ['a stream of samples', () => new DataLoader(function* () {}, { samples: true }), 'a stream of samples'],
    ['a CSV file', () => csv('data.csv', { labels: 'y' }), 'a CSV file'],
    ['ready batches', () => [{ xs }], 'batches in an array'],
    ['an own loader', () => ({ name: 'own', batches: 1, owned: true, epoch: () => [] }), 'wrote yourself'],
    ['an own loader for runs', () => ({ forRun: () => ({}) }), 'wrote yourself'],
  ])('%s', async (_what, data, words) => {
    const error = await errorOf(() => splitData(data() as never, 0.2));
    expectError(error, 'BAD_DATA', 'cannot be split', words, '{ xs, ys }');
    const named = await errorOf(() => splitData({ noisy: data() } as never, 0.2));
    expectError(named, 'BAD_DATA', '"noisy" cannot be split');
  });

  test.each([0, 1, -0.5, 20, Number.NaN, '0.2', undefined])('a share of %s', async (share) => {
    expectError(
      await errorOf(() => splitData(table, share as number)),
      'BAD_OPTIONS',
      String(share),
      '0 and 1',
    );
  });

  test('options that do not exist, or a seed that is not a whole number', async () => {
    expectError(await errorOf(() => splitData(table, 0.2, { sead: 1 } as never)), 'BAD_OPTIONS', '"seed"');
    expectError(await errorOf(() => splitData(table, 0.2, { seed: 0.5 })), 'BAD_OPTIONS', '0.5');
  });

  test.each([
    [2, 0.1, 'holds back 0 and leaves 2'],
    [2, 0.9, 'holds back 2 and leaves 0'],
  ])('%i samples at a share of %f', async (count, share, words) => {
    const { train } = splitData({ xs: xs.slice(0, count) }, share);
    expectError(await errorOf(epochOf(train)), 'BAD_DATA', `${count} samples`, words, 'at least one');
  });
});

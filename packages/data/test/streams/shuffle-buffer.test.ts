import { useBackend } from '@hookline/test-support';
import { beforeAll, describe, expect, test } from 'vitest';
import { DataLoader } from '../../src/index.js';
import { numbersOf } from '../plain-batches.js';

beforeAll(() => useBackend('cpu'));

const count = 10;
const range = Array.from({ length: count }, (_, i) => i);

describe('a stream is shuffled within a buffer', () => {
  const many = Array.from({ length: 500 }, (_, i) => i);
  const stream = async function* () {
    for (const i of many) yield { xs: [i] };
  };
  const make = (options: object) =>
    new DataLoader(stream, { samples: true, shuffle: true, seed: 1, ...options });

  test('every sample comes once, none before the buffer could know it', async () => {
    const order = await numbersOf(make({ shuffleBuffer: 50 }));
    expect(order).not.toEqual(many);
    expect([...order].sort((a, b) => a - b)).toEqual(many);
    // The sample at place p is among the first p + 50 (it and 50 in hand).
    order.forEach((sample, place) => {
      expect(sample).toBeLessThanOrEqual(place + 50);
    });
  });

  test('the order follows the seed and the epoch', async () => {
    const [one, two] = [make({ shuffleBuffer: 50 }), make({ shuffleBuffer: 50 })];
    const first = await numbersOf(one);
    expect(await numbersOf(two)).toEqual(first);
    expect(await numbersOf(one)).not.toEqual(first);
    expect(await numbersOf(make({ shuffleBuffer: 50, seed: 2 }))).not.toEqual(first);
  });

  test('batches can be shuffled too, in an array and in a stream', async () => {
    const batches = range.map((i) => ({ xs: [[i]] }));
    const fromArray = new DataLoader(batches, { shuffle: true, seed: 1 });
    const fromStream = new DataLoader(() => batches[Symbol.iterator](), { shuffle: true, seed: 1 });
    for (const loader of [fromArray, fromStream]) {
      const orders = [await numbersOf(loader), await numbersOf(loader)];
      expect(orders[0]).not.toEqual(orders[1]);
      for (const order of orders) expect([...order].sort((a, b) => a - b)).toEqual(range);
    }
  });
});

import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { DataLoader, type Sample } from '../../src/index.js';
import { epochOf, numbersOf } from '../plain-batches.js';

beforeAll(() => useBackend('cpu'));

const count = 10;
const range = Array.from({ length: count }, (_, i) => i);
const samples: Sample[] = range.map((i) => ({ xs: [i], ys: [i * 10], weights: i + 1 }));

describe('single samples are grouped', () => {
  const expected = [
    { xs: [[0], [1], [2], [3]], ys: [[0], [10], [20], [30]], weights: [1, 2, 3, 4] },
    { xs: [[4], [5], [6], [7]], ys: [[40], [50], [60], [70]], weights: [5, 6, 7, 8] },
    { xs: [[8], [9]], ys: [[80], [90]], weights: [9, 10] },
  ];
  const sources: [string, () => ConstructorParameters<typeof DataLoader<Sample>>[0]][] = [
    ['an array', () => samples],
    ['a generator', () => samples[Symbol.iterator]()],
    [
      'a function that returns an async generator',
      () =>
        async function* () {
          yield* samples;
        },
    ],
    ['samples by number', () => ({ length: count, at: (index: number) => Promise.resolve(samples[index]!) })],
    [
      'samples of tensors',
      () =>
        function* () {
          for (const i of range) yield { xs: tf.tensor1d([i]), ys: tf.tensor1d([i * 10]), weights: i + 1 };
        },
    ],
    [
      'samples of typed arrays',
      () => range.map((i) => ({ xs: Float32Array.of(i), ys: Uint16Array.of(i * 10), weights: i + 1 })),
    ],
    [
      'samples that mix them',
      () => range.map((i) => ({ xs: tf.tensor1d([i]), ys: [i * 10], weights: i + 1 })),
    ],
  ];

  test.each(sources)('from %s', async (_name, source) => {
    const shapes = { xs: [1], ys: [1] };
    expect(await epochOf(new DataLoader(source(), { samples: true, batchSize: 4, shapes }))).toEqual(
      expected,
    );
    const full = new DataLoader(source(), { samples: true, batchSize: 4, dropLast: true, shapes });
    expect(await epochOf(full)).toEqual(expected.slice(0, 2));
  });

  test('a number is a value without dimensions, and several inputs go by name', async () => {
    const loader = new DataLoader(
      range.map((i) => ({ xs: { a: i, b: { c: [i, i] } }, ys: i })),
      { samples: true, batchSize: 2 },
    );
    expect((await epochOf(loader))[0]).toEqual({
      xs: {
        a: [0, 1],
        'b/c': [
          [0, 0],
          [1, 1],
        ],
      },
      ys: [0, 1],
    });
  });

  test('collate makes a batch of items of any form, and may take its time', async () => {
    const words = ['a', 'bcd', 'ef', 'g'];
    const loader = new DataLoader(words, {
      batchSize: 2,
      collate: async (items: string[]) => {
        const length = Math.max(...items.map((word) => word.length));
        const pad = (word: string) => Array.from({ length }, (_, i) => word.charCodeAt(i) || 0);
        return { xs: items.map(pad), ys: items.map((word) => word.length) };
      },
    });
    expect(await epochOf(loader)).toEqual([
      {
        xs: [
          [97, 0, 0],
          [98, 99, 100],
        ],
        ys: [1, 3],
      },
      {
        xs: [
          [101, 102],
          [103, 0],
        ],
        ys: [2, 1],
      },
    ]);
  });

  test('those of a batch are fetched at the same time, in the order of the shuffle', async () => {
    const asked: number[] = [];
    let waiting: (() => void)[] = [];
    const source = {
      length: count,
      at: async (index: number) => {
        asked.push(index);
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          // Goes on only when the whole batch has been asked for.
          if (waiting.length === 5) {
            for (const each of waiting) each();
            waiting = [];
          }
        });
        return samples[index]!;
      },
    };
    const order = await numbersOf(
      new DataLoader(source, { samples: true, batchSize: 5, shuffle: true, seed: 3 }),
    );
    expect(order).toEqual(asked);
    expect(order).not.toEqual(range);
    expect([...order].sort((a, b) => a - b)).toEqual(range);
  });
});

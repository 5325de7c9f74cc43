import type { Batch } from '@hookline/hook-api';
import { regressor, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { DataLoader, type Sample, selectBackend } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';
import { epochOf, numbersOf, plain } from './batches-of-loader.js';

beforeAll(() => selectBackend({ backend: 'cpu', root: '.' }));

const count = 10;
const range = Array.from({ length: count }, (_, i) => i);
const xs = range.map((i) => [i]);
const ys = range.map((i) => [i * 10]);
const samples: Sample[] = range.map((i) => ({ xs: [i], ys: [i * 10], weights: i + 1 }));

describe('a table', () => {
  test('is cut into batches, the last one smaller', async () => {
    expect(await epochOf(new DataLoader({ xs, ys }, { batchSize: 4 }))).toEqual([
      { xs: [[0], [1], [2], [3]], ys: [[0], [10], [20], [30]] },
      { xs: [[4], [5], [6], [7]], ys: [[40], [50], [60], [70]] },
      { xs: [[8], [9]], ys: [[80], [90]] },
    ]);
  });

  test('dropLast leaves a batch out that is not full', async () => {
    const loader = new DataLoader({ xs, ys }, { batchSize: 4, dropLast: true });
    expect((await epochOf(loader)).map((batch) => (batch.xs as []).length)).toEqual([4, 4]);
    const even = new DataLoader({ xs, ys }, { batchSize: 5, dropLast: true });
    expect((await epochOf(even)).map((batch) => (batch.xs as []).length)).toEqual([5, 5]);
  });

  test('a batch that is larger than the data is one smaller batch', async () => {
    expect(await epochOf(new DataLoader({ xs }, { batchSize: 64 }))).toEqual([{ xs }]);
  });

  test('shuffle keeps rows together, whatever holds them', async () => {
    const columns: Record<string, () => object> = {
      'nested arrays': () => ({ xs, ys, weights: range }),
      tensors: () => ({ xs: tf.tensor2d(xs), ys: tf.tensor2d(ys), weights: tf.tensor1d(range) }),
      'tensors of int32': () => ({
        xs: tf.tensor2d(xs, [10, 1], 'int32'),
        ys: tf.tensor2d(ys),
        weights: range,
      }),
      'typed arrays': () => ({
        xs: Float64Array.from(range),
        ys: Uint8Array.from(ys.flat()),
        weights: range,
      }),
      'a mix': () => ({ xs: Int32Array.from(range), ys: tf.tensor2d(ys), weights: Uint16Array.from(range) }),
    };
    let expected: number[] | undefined;
    for (const [name, make] of Object.entries(columns)) {
      const data = make() as { xs: tf.Tensor };
      const loader = new DataLoader(data, {
        batchSize: 3,
        shuffle: true,
        seed: 4,
        shapes: { xs: [1], ys: [1] },
      });
      const batches = await epochOf(loader);
      const order = batches.flatMap((batch) => (batch.xs as number[][]).flat());
      expected ??= order;
      expect(order, name).toEqual(expected);
      expect([...order].sort((a, b) => a - b)).toEqual(range);
      expect(batches.flatMap((batch) => batch.ys)).toEqual(order.map((i) => [i * 10]));
      expect(batches.flatMap((batch) => batch.weights)).toEqual(order);
      tf.dispose(data as never);
    }
    expect(expected).not.toEqual(range);
  });

  test('each epoch has an order of its own, the same for the same seed', async () => {
    const make = (seed: number) => new DataLoader({ xs }, { batchSize: 4, shuffle: true, seed });
    const [first, again, other] = [make(1), make(1), make(2)];
    const epochs = [await numbersOf(first), await numbersOf(first), await numbersOf(first)];
    expect(new Set(epochs.map(String)).size).toBe(3);
    expect([await numbersOf(again), await numbersOf(again)]).toEqual(epochs.slice(0, 2));
    expect(await numbersOf(other)).not.toEqual(epochs[0]);
  });

  test('names within names become paths', async () => {
    const eyes = { left: xs, right: Float32Array.from(range, (i) => -i) };
    const loader = new DataLoader(
      { xs: { eyes, age: tf.tensor1d(range) }, ys: { a: { b: { c: range } } } },
      { batchSize: 2, shapes: { 'xs/eyes/right': [1] } },
    );
    const [batch] = await epochOf(loader);
    expect(batch).toEqual({
      xs: { 'eyes/left': [[0], [1]], 'eyes/right': [[-0], [-1]], age: [0, 1] },
      ys: { 'a/b/c': [0, 1] },
    });
  });

  test('a path reaches the input of that name', async () => {
    const model = () => {
      const weight = tf.variable(tf.ones([1, 1]));
      return {
        parameters: () => ({ weight }),
        forward: (inputs: Record<string, tf.Tensor>) => tf.matMul(inputs['in/a'] as tf.Tensor2D, weight),
      };
    };
    const trainer = quietTrainer({ model: model as never });
    const result = await trainer.fit({ train: { xs: { in: { a: xs } }, ys }, epochs: 1 });
    expect(result.status).toBe('completed');
  });

  test('shapes say what a sample in a typed array is, where no model does', async () => {
    const loader = new DataLoader(
      { xs: Float32Array.from({ length: 12 }, (_, i) => i), ys: Int8Array.of(1, 2) },
      { shapes: { xs: [2, 3] } },
    );
    expect(await epochOf(loader)).toEqual([
      {
        xs: [
          [
            [0, 1, 2],
            [3, 4, 5],
          ],
          [
            [6, 7, 8],
            [9, 10, 11],
          ],
        ],
        ys: [1, 2],
      },
    ]);
  });

  test('batches keep their values, on cpu and on wasm, also when the heap grows meanwhile', async () => {
    const data = { xs: tf.reshape(tf.range(0, 4000), [40, 100]), ys: tf.range(0, 40, 1, 'int32') };
    const typed = {
      xs: Float32Array.from({ length: 4000 }, (_, i) => i),
      ys: Int32Array.from({ length: 40 }, (_, i) => i),
    };
    const expected = await epochOf(new DataLoader(data, { batchSize: 7, shuffle: true, seed: 9 }));
    expect(expected[0]!.xs).not.toEqual((await epochOf(new DataLoader(data, { batchSize: 7 })))[0]!.xs);
    try {
      for (const backend of ['cpu', 'wasm'] as const) {
        await selectBackend({ backend, root: '.' });
        for (const source of [data, typed]) {
          const batches: Batch[] = [];
          const filler: tf.Tensor[] = [];
          const options = { batchSize: 7, shuffle: true, seed: 9, shapes: { xs: [100], ys: [] } };
          for await (const batch of new DataLoader(source, options)) {
            batches.push(batch);
            filler.push(tf.zeros([1_000_000]));
          }
          expect(batches.map(({ ys }) => (ys as tf.Tensor).dtype)).toEqual(batches.map(() => 'int32'));
          expect(batches.map(plain)).toEqual(expected);
          tf.dispose(filler);
        }
      }
      tf.dispose(data);
    } finally {
      await selectBackend({ backend: 'cpu', root: '.' });
    }
  });

  test('a tensor that was made on another backend is cut too, however large', async () => {
    const wide = tf.reshape(tf.range(0, 8_000_000), [8, 1_000_000]); // 32 MB
    await selectBackend({ backend: 'wasm', root: '.' });
    try {
      const first: number[] = [];
      for await (const { xs } of new DataLoader({ xs: wide }, { batchSize: 1 })) {
        first.push((xs as tf.Tensor).dataSync()[1]!);
        tf.dispose(xs as tf.Tensor);
      }
      expect(first).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((row) => row * 1_000_000 + 1));
    } finally {
      wide.dispose();
      await selectBackend({ backend: 'cpu', root: '.' });
    }
  });
});

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

describe('in a loop of your own', () => {
  test('each loop is an epoch, and one that was left goes on where it was', async () => {
    const loader = new DataLoader({ xs }, { batchSize: 2, shuffle: true, seed: 5 });
    const whole = new DataLoader({ xs }, { batchSize: 2, shuffle: true, seed: 5 });
    const [first, second] = [await numbersOf(whole), await numbersOf(whole)];
    const seen: number[] = [];
    for await (const batch of loader) {
      seen.push(...((batch.xs as tf.Tensor).dataSync() as Float32Array));
      tf.dispose(batch.xs as tf.Tensor);
      if (seen.length === 6) break;
    }
    expect([...seen, ...(await numbersOf(loader))]).toEqual(first);
    expect(await numbersOf(loader)).toEqual(second);
  });

  test.each([
    ['a table', () => new DataLoader({ xs }, { batchSize: 2, shuffle: true, seed: 5 })],
    [
      'an array of batches',
      () =>
        new DataLoader(
          range.map((i) => ({ xs: [[i]] })),
          { shuffle: true, seed: 5 },
        ),
    ],
    [
      'samples by number',
      () => new DataLoader(samples, { samples: true, batchSize: 3, shuffle: true, seed: 5 }),
    ],
    [
      'a shuffled stream of samples',
      () =>
        new DataLoader(() => samples[Symbol.iterator](), {
          samples: true,
          batchSize: 2,
          shuffle: true,
          shuffleBuffer: 4,
          seed: 5,
        }),
    ],
    [
      'a stream of batches',
      () =>
        new DataLoader(async function* () {
          for (const i of range) yield { xs: [[i]] };
        }),
    ],
  ])('the place in %s can be saved: the next sample is the very next', async (_name, make) => {
    const whole = make();
    const expected = [...(await numbersOf(whole)), ...(await numbersOf(whole))];
    for (const stopAfter of [1, 2, 3, 4, 6, 7]) {
      const first = make();
      const seen: number[] = [];
      let batches = 0;
      outer: for (;;) {
        for await (const batch of first) {
          seen.push(...((batch.xs as tf.Tensor).dataSync() as Float32Array));
          tf.dispose(batch.xs as tf.Tensor);
          if (++batches === stopAfter) break outer;
        }
      }
      const state = JSON.parse(JSON.stringify(first.saveState()));
      const second = make();
      second.loadState(state);
      while (seen.length < expected.length) seen.push(...(await numbersOf(second)));
      expect(seen, `after ${stopAfter} batches`).toEqual(expected);
    }
  });
});

test('a fit decides what the loader does not', async () => {
  const shapesSeen = async (loader: DataLoader, fit: object) => {
    const sizes: number[] = [];
    const trainer = quietTrainer({
      model: regressor(),
      hooks: [
        {
          name: 'watch',
          onTrainBatchStart: (_ctx, { batch, loaderName }) => {
            expect(loaderName).toBe('train');
            sizes.push((batch.xs as tf.Tensor).shape[0]!);
          },
        },
      ],
    });
    await trainer.fit({ train: loader, epochs: 1, ...fit });
    return sizes;
  };
  const wide = { xs: range.map((i) => [i, 0, 0]), ys };
  expect(await shapesSeen(new DataLoader(wide, { batchSize: 6 }), { batchSize: 3 })).toEqual([6, 4]);
  expect(await shapesSeen(new DataLoader(wide), { batchSize: 3 })).toEqual([3, 3, 3, 1]);
  expect(await shapesSeen(new DataLoader(wide), {})).toEqual([10]);
});

test('the same samples train the same weights, however a DataLoader gets them', async () => {
  const wide = range.map((i) => ({ xs: [i / 10, 1, -i / 5], ys: [Math.sin(i)] }));
  const table = { xs: wide.map((sample) => sample.xs), ys: wide.map((sample) => sample.ys) };
  const train = async (data: object) => {
    const model = regressor();
    await quietTrainer({ model }).fit({ train: data as never, epochs: 2, shuffle: false, batchSize: 4 });
    return weightsOf(model);
  };
  const expected = await train(table);
  expect(await train(new DataLoader(table))).toEqual(expected);
  expect(await train(new DataLoader(wide, { samples: true }))).toEqual(expected);
  expect(await train(new DataLoader(() => wide.values(), { samples: true, prefetch: 3 }))).toEqual(expected);
});

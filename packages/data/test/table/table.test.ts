import type { Batch } from '@hookline/hook-api';
import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { DataLoader } from '../../src/index.js';
import { epochOf, numbersOf, plain } from '../plain-batches.js';

beforeAll(() => useBackend('cpu'));

const count = 10;
const range = Array.from({ length: count }, (_, i) => i);
const xs = range.map((i) => [i]);
const ys = range.map((i) => [i * 10]);

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

  test('each epoch has a different order, the same for the same seed', async () => {
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
        await useBackend(backend);
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
      await useBackend('cpu');
    }
  });

  test('a tensor that was made on another backend is cut too, however large', async () => {
    const wide = tf.reshape(tf.range(0, 8_000_000), [8, 1_000_000]); // 32 MB
    await useBackend('wasm');
    try {
      const first: number[] = [];
      for await (const { xs } of new DataLoader({ xs: wide }, { batchSize: 1 })) {
        first.push((xs as tf.Tensor).dataSync()[1]!);
        tf.dispose(xs as tf.Tensor);
      }
      expect(first).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((row) => row * 1_000_000 + 1));
    } finally {
      wide.dispose();
      await useBackend('cpu');
    }
  });
});

import { collectingLogger, farBackend, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Data, DataLoader } from '../../src/index.js';
import { feedOf } from '../plain-batches.js';

beforeAll(() => useBackend('cpu'));

const COUNT = 20_000;
const floats = (): Float32Array => Float32Array.from({ length: COUNT }, (_, i) => Math.sin(i));
const shaped = (xs: Float32Array | Int32Array, ys?: number[]): DataLoader =>
  new DataLoader({ xs, ...(ys && { ys }) }, { shapes: { xs: [1] } });
const small = { xs: [[1], [2], [3], [4]], ys: [0, 1, 0, 1] };

/** What a run is warned of that continues in the middle of an epoch over the first data with the second. */
async function warnings(before: Data, after: Data): Promise<string[]> {
  const first = feedOf(before, { batchSize: 2 });
  for await (const { batch, owned } of first.epoch(0)) {
    if (owned) tf.dispose(batch as never);
    first.commit();
    break;
  }
  const second = feedOf(after, { batchSize: 2 });
  const logger = collectingLogger();
  second.logger = logger;
  expect(second.resume(JSON.parse(JSON.stringify(first.saveState())))).toBe(logger.lines.length === 0);
  return logger.lines.map(({ message }) => message);
}

describe('a position in a table is refused', () => {
  test.each<[string, Data]>([
    ['one value is different', { ...small, xs: [[1], [2], [3], [5]] }],
    ['one label is different', { ...small, ys: [0, 1, 0, 0] }],
    ['the samples come in another order', { ...small, xs: [[2], [1], [3], [4]] }],
    ['a column has another name', { xs: { height: small.xs }, ys: small.ys }],
    ['a column was added', { ...small, weights: [1, 1, 1, 1] }],
    ['the numbers are of another type', shaped(Int32Array.of(1, 2, 3, 4), small.ys)],
  ])('when %s', async (_what, changed) => {
    expect(await warnings(small, changed)).toEqual([expect.stringContaining('"train" has other values')]);
  });

  test('in a loop of your own, too', async () => {
    const first = new DataLoader(small, { batchSize: 2 });
    for await (const batch of first) {
      tf.dispose(batch as never);
      break;
    }
    const second = new DataLoader({ ...small, ys: [1, 1, 0, 1] }, { batchSize: 2 });
    expect(() => second.loadState(first.saveState())).toThrow('belongs to different data');
  });
});

describe('a position in an array is refused when something in it is different', () => {
  const batches = (last: number) =>
    [1, 2, 3, last].map((value) => ({ xs: tf.tensor2d([[value]]), ys: tf.tensor1d([value]) }));
  const rows = (last: number) => [1, 2, 3, last].map((value) => ({ xs: [[value]], ys: [value] }));
  const samples = (last: number) => {
    const all = [1, 2, 3, 4, 5, last].map((value) => ({ xs: Float32Array.of(value), ys: [value] }));
    return new DataLoader(all, { samples: true, batchSize: 2 });
  };

  test.each<[string, (last: number) => Data]>([
    ['ready batches', batches],
    ['batches as numbers', rows],
    ['samples', samples],
  ])('%s', async (_what, data) => {
    expect(await warnings(data(4), data(5))).toEqual([expect.stringContaining('"train" has other values')]);
    expect(await warnings(data(4), data(4))).toEqual([]);
  });

  test('long arrays and large samples are looked at in places', async () => {
    const many = (change: number) =>
      Array.from({ length: 5000 }, (_, i) => ({ xs: [new Array<number>(10).fill(i + change)], ys: [[0]] }));
    expect(await warnings(many(0), many(1))).toHaveLength(1);
    expect(await warnings(many(0), many(0))).toEqual([]);
  });
});

describe('a position in a table still holds', () => {
  test('when the same values are in a tensor, a typed array or a copy', async () => {
    const tensor = tf.tensor2d(floats(), [COUNT, 1]);
    expect(await warnings(shaped(floats()), shaped(floats()))).toEqual([]);
    expect(await warnings(shaped(floats()), { xs: tensor })).toEqual([]);
    expect(await warnings(small, structuredClone(small))).toEqual([]);
    tensor.dispose();
  });

  test('on a device, which is not read to find out', async () => {
    const far = farBackend();
    await tf.setBackend(far.name);
    onTestFinished(() => tf.setBackend('cpu').then(() => {}));
    // Computed there: no copy of the values is on the host.
    const xs = tf.mul(tf.tensor1d([1, 2, 3, 4]), 2);
    const before = far.reads;
    const loader = new DataLoader({ xs });
    expect(loader.saveState().loaders[0]!.order).toMatchObject({ samples: 4 });
    expect(far.reads).toBe(before);
    xs.dispose();
  });
});

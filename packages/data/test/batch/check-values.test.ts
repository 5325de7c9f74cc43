import type { Batch } from '@hookline/hook-api';
import { errorOf, farBackend, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { DataLoader, type DataLoaderOptions } from '../../src/index.js';
import { epochOf, expectError, feedError, feedOf, readFeed } from '../plain-batches.js';

beforeAll(() => useBackend('cpu'));

const xs = [0, 1, 2, 3].map((i) => [i, 0, 0]);
const ys = [[0], [1], [2], [3]];
const batch = (): Batch => ({ xs: tf.ones([2, 3]), ys: tf.zeros([2, 1]) });

describe('values that are not finite, with checkData', () => {
  const sources: [string, () => DataLoader, string[]][] = [
    [
      'a table, with the row',
      () =>
        new DataLoader(
          { xs: [...xs, [0, Number.NaN, 1]], ys: [...ys, [0]] },
          { checkData: true, batchSize: 2 },
        ),
      ['The data of loader "train"', 'xs has 1', '(NaN) in sample 4, value 1'],
    ],
    [
      'targets in a typed array',
      () => new DataLoader({ xs, ys: Float32Array.of(1, 2, Infinity, -Infinity) }, { checkData: true }),
      ['ys has 2', '(Infinity) in sample 2.'],
    ],
    [
      'a stream of tensors',
      () =>
        new DataLoader(
          function* () {
            yield batch();
            yield { xs: tf.fill([2, 3], Number.NaN), ys: tf.zeros([2, 1]) };
          },
          { checkData: true },
        ),
      ['Batch 2 of loader "train"', 'xs has 6', 'sample 0'],
    ],
    [
      'batches in an array',
      () =>
        new DataLoader(
          [
            { xs, ys },
            { xs: [[1, 2, Number.NaN]], ys: [[1]] },
          ],
          { checkData: true },
        ),
      ['Batch 2 of loader "train"', 'value 2'],
    ],
    [
      'single samples',
      () => new DataLoader([{ xs: [1, 2, 3], ys: Number.NaN }], { samples: true, checkData: true }),
      ['Batch 1', 'ys has 1'],
    ],
  ];

  test.each(sources)('%s', async (_name, make, parts) => {
    expectError(await feedError(make()), 'BAD_DATA', ...parts, 'Clean or fill them');
  });

  test('finite data passes, and is checked in the first epoch only', async () => {
    let made = 0;
    const source = () => {
      made++;
      return [made === 2 ? { xs: tf.fill([2, 3], Number.NaN), ys: tf.zeros([2, 1]) } : batch()];
    };
    await readFeed(feedOf(new DataLoader(source, { checkData: true })), 2);
    await readFeed(feedOf(new DataLoader({ xs, ys }, { checkData: true })), 2);
    expect(made).toBe(2);
  });

  test('weights are checked, whole numbers pass', async () => {
    const data = { xs: Int32Array.of(1, 2), ys: [1, 2], weights: [1, Number.NaN] };
    const error = await errorOf(epochOf(new DataLoader(data, { checkData: true, shapes: { xs: [1] } })));
    expectError(error, 'BAD_DATA', 'weights has 1');
  });
});

describe('values in memory are checked without being asked', () => {
  const hole = [...xs.slice(0, 3), [1, Number.NaN, 2]];
  const tensors = (values: number[][]): Batch => ({
    xs: tf.tensor2d(values),
    ys: tf.zeros([values.length, 1]),
  });

  test.each<[string, () => unknown, string[]]>([
    [
      'a table of arrays',
      () => ({ xs: hole, ys }),
      ['The data of loader "train"', 'xs has 1', '(NaN) in sample 3, value 1', 'checkData: false'],
    ],
    ['targets', () => ({ xs, ys: Float64Array.of(1, 2, Number.NaN, 3) }), ['ys has 1', 'sample 2']],
    [
      'batches of arrays',
      () => [
        { xs, ys },
        { xs: hole, ys },
      ],
      ['Batch 2 of loader "train"', 'xs has 1'],
    ],
    [
      'a generator of tensors',
      function* () {
        yield tensors(xs);
        yield tensors(hole);
      },
      ['Batch 2 of loader "train"', 'xs has 1'],
    ],
    [
      'an async generator of tensors, by name',
      async function* () {
        const { xs: left, ys: right } = tensors(hole);
        yield { xs: { in: left as tf.Tensor }, ys: { out: right as tf.Tensor } };
      },
      ['Batch 1 of loader "train"', 'xs/in has 1'],
    ],
    [
      'single samples',
      () => new DataLoader([{ xs: [1, 2, Infinity], ys: 0 }], { samples: true }),
      ['Batch 1 of loader "train"', '(Infinity)'],
    ],
  ])('%s', async (_what, make, parts) => {
    const source = make() as { next?: unknown };
    expectError(await feedError(source.next ? make : source), 'BAD_DATA', ...parts);
  });

  test('tables of tensors too', async () => {
    const table = tensors(hole);
    expectError(await feedError(table), 'BAD_DATA', 'xs has 1', 'sample 3, value 1');
    tf.dispose([table.xs, table.ys!] as tf.Tensor[]);
  });

  test('but not where the loader or the run says otherwise', async () => {
    const loader = new DataLoader({ xs: hole, ys }, { checkData: false });
    expect(await readFeed(feedOf(loader), 2)).toHaveLength(2);
    expect(await readFeed(feedOf({ xs: hole, ys }, { checkData: false }))).toHaveLength(1);
  });

  test('what is on a device is not read for it, unless checkData is set', async () => {
    const far = farBackend();
    await tf.setBackend(far.name);
    onTestFinished(() => tf.setBackend('cpu').then(() => {}));
    const table = tensors(xs);
    const readsOf = async (source: object, options: DataLoaderOptions) => {
      const before = far.reads;
      const loader = new DataLoader(source as never, options);
      for await (const { batch } of feedOf(loader).epoch(0)) tf.dispose(batch as never);
      return far.reads - before;
    };
    expect(await readsOf(table, {})).toBe(0);
    expect(await readsOf(table, { checkData: true })).toBeGreaterThan(0);
    expect(await readsOf(() => [tensors(xs)], {})).toBe(0);
    expect(await readsOf(() => [tensors(xs)], { checkData: true })).toBeGreaterThan(0);
    tf.dispose(table as never);
  });
});

describe('labels that are not a class', () => {
  const labels = [0, 1, 2, 1, 0, 2];
  const inputs = labels.map((label) => [label, 0, 0]);
  const withLabel = (label: number) => labels.map((each, index) => (index === 4 ? label : each));
  const output = (name: string, classes: number) => ({ name, shape: [classes], classes });
  const shapes = (...outputs: ReturnType<typeof output>[]) => ({
    inputs: [{ name: 'in', shape: [3] }],
    outputs,
  });

  test.each([3, -1, 1.5, Number.NaN])('%s of three classes, found before the first batch', async (label) => {
    const feed = feedOf({ xs: inputs, ys: withLabel(label) }, { shapes: shapes(output('out', 3)) });
    let batches = 0;
    const error = await errorOf(async () => {
      for await (const _ of feed.epoch(0)) batches++;
    });
    expectError(error, 'BAD_DATA', 'The data of loader "train"', `ys has ${label} in sample 4`);
    expectError(error, 'BAD_DATA', 'whole number from 0 to 2', 'Number the labels from 0');
    expect(batches).toBe(0);
  });

  test('with several outputs, those of the output with that name', async () => {
    const options = { shapes: shapes(output('kind', 3), output('colour', 4)) };
    const data = (kind: number, colour: number) => ({
      xs: inputs,
      ys: { colour: withLabel(colour), kind: withLabel(kind) },
    });
    expectError(await feedError(data(3, 3), options), 'BAD_DATA', 'ys/kind has 3', '0 to 2');
    expectError(await feedError(data(2, 4), options), 'BAD_DATA', 'ys/colour has 4', '0 to 3');
    const listed = { xs: inputs, ys: [Int32Array.from(labels), Int32Array.from(withLabel(5))] };
    expectError(await feedError(listed, options), 'BAD_DATA', 'ys/1 has 5', '0 to 3');
    expect(await readFeed(feedOf(data(2, 3), options))).toHaveLength(1);
  });
});

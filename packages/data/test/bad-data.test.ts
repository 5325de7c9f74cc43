import type { Batch } from '@hookline/hook-api';
import { errorOf, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, test } from 'vitest';
import { DataLoader, type DataLoaderOptions } from '../src/index.js';
import { epochOf, expectError, feedError } from './plain-batches.js';

beforeAll(() => useBackend('cpu'));

const xs = [0, 1, 2, 3].map((i) => [i, 0, 0]);
const ys = [[0], [1], [2], [3]];
const batch = (): Batch => ({ xs: tf.ones([2, 3]), ys: tf.zeros([2, 1]) });

describe('a batch larger than the data', () => {
  test('is an error where it would leave nothing', async () => {
    const few = (options: DataLoaderOptions) => ({ ...options, batchSize: 5, dropLast: true });
    const loaders = [
      new DataLoader({ xs, ys }, few({})),
      new DataLoader([{ xs: 1 }], few({ samples: true })),
      new DataLoader(() => [{ xs: 1 }].values(), few({ samples: true })),
    ];
    for (const loader of loaders) {
      const error = await errorOf(epochOf(loader));
      expectError(error, 'BAD_DATA', 'Loader "data" has', 'fewer than one batch of 5', 'smaller batchSize');
    }
  });
});

describe('what does not fit together', () => {
  test('columns of unequal length are named by their paths', async () => {
    const error = await feedError({ xs: { a: xs, b: { c: xs.slice(1) } }, ys });
    expectError(error, 'BAD_DATA', 'loader "train"', 'xs/a has 4', 'xs/b/c has 3', 'same number of samples');
  });

  test('samples of unequal shape', async () => {
    const of = (samples: unknown[]) =>
      feedError(new DataLoader(samples as never, { samples: true, shuffle: false }));
    expectError(await of([{ xs: [1, 2, 3] }, { xs: [1, 2] }]), 'BAD_DATA', 'sample 1');
    expectError(
      await of([{ xs: Float32Array.of(1, 2) }, { xs: Float32Array.of(1) }]),
      'BAD_DATA',
      'xs of sample 1',
      '2 values',
    );
    expectError(await of([{ xs: 1 }, { xs: [1] }]), 'BAD_DATA', 'xs of sample 1', 'a number');
    expectError(await of([{ xs: { a: 1 } }, { xs: {} }]), 'BAD_DATA', 'xs/a of sample 1');
    expectError(await of([{ xs: [1, 2, 3], ys: 1 }, { xs: [1, 2, 3] }]), 'BAD_DATA', 'ys of sample 1');
    expectError(await of([{ ys: 1 }]), 'BAD_DATA', 'xs of a sample is undefined', 'collate');
    expectError(await of(['text']), 'BAD_DATA', 'xs of a sample is undefined');
    const made = () => [3, 2].map((size) => ({ xs: tf.ones([3]), ys: tf.ones([size]) })).values();
    const error = await feedError(new DataLoader(made, { samples: true }));
    expectError(error, 'BAD_DATA', 'ys of sample 1', 'a tensor of shape [3]');
  });

  test('something that is not data', async () => {
    for (const [source, what] of [
      [5, 'number'],
      ['text', 'string'],
      [undefined, 'undefined'],
      [null, 'null'],
      [tf.zeros([2, 3]), 'object'],
    ] as const) {
      const error = await errorOf(epochOf(new DataLoader(source as never)));
      expectError(error, 'BAD_DATA', `The data of loader "data" is ${what}`, '{ xs, ys }', 'csv(file)');
    }
    const empty = await errorOf(epochOf(new DataLoader([], { samples: true })));
    expectError(empty, 'BAD_DATA', 'loader "data" is empty');
    expectError(await errorOf(epochOf(new DataLoader([]))), 'BAD_DATA', 'gave no batch');
    expectError(await errorOf(epochOf(new DataLoader({ xs: {} }))), 'BAD_DATA', 'at least one column');
    expectError(await errorOf(epochOf(new DataLoader({ xs: tf.scalar(1) }))), 'BAD_DATA', 'single number');
    expectError(
      await errorOf(epochOf(new DataLoader({ xs: { a: 1 } as never }))),
      'BAD_DATA',
      'xs/a must be',
    );
    const big = BigInt64Array.of(1n) as never;
    expectError(await errorOf(epochOf(new DataLoader({ xs: big }))), 'BAD_DATA', 'xs must be');
  });

  test('a function that does not return a stream', async () => {
    const promise = (async () => [{ xs, ys }]) as never;
    expectError(await feedError(promise), 'BAD_DATA', 'returned a promise', 'async function*');
    expectError(await feedError(() => 5), 'BAD_DATA', 'returned number');
  });
});

describe('options that make no sense', () => {
  test.each<[DataLoaderOptions, string[]]>([
    [{ batchsize: 3 } as never, ['Did you mean "batchSize"?']],
    [{ batchSize: 0 }, ['batchSize is 0', 'at least 1']],
    [{ batchSize: 1.5 }, ['batchSize is 1.5']],
    [{ shuffleBuffer: 0 }, ['shuffleBuffer']],
    [{ prefetch: -1 }, ['prefetch is -1', 'at least 0']],
  ])('%j', async (options, parts) => {
    const error = await errorOf(() => new DataLoader({ xs, ys }, options));
    expectError(error, 'BAD_OPTIONS', 'new DataLoader()', ...parts);
  });

  test('those without an effect are refused with the reason', async () => {
    const refused = async (loader: DataLoader, ...parts: string[]) =>
      expectError(await errorOf(epochOf(loader)), 'BAD_OPTIONS', 'has no effect', ...parts);
    await refused(new DataLoader([{ xs, ys }], { batchSize: 2 }), 'batchSize', 'samples: true');
    await refused(new DataLoader(() => [{ xs, ys }], { dropLast: true }), 'dropLast', 'whole batches');
    await refused(new DataLoader({ xs, ys }, { samples: true }), 'samples', 'a table');
    await refused(new DataLoader({ xs, ys }, { shuffleBuffer: 5 }), 'shuffleBuffer');
    const own = { name: 'own', batches: 1, owned: true, epoch: () => [batch()] };
    await refused(new DataLoader(own, { shuffle: true }), 'shuffle', 'you wrote yourself');
  });

  test('a position in different data', async () => {
    const loader = new DataLoader({ xs, ys }, { batchSize: 1 });
    for await (const { xs } of loader) {
      tf.dispose(xs as tf.Tensor);
      break;
    }
    const state = loader.saveState();
    const error = await errorOf(() => new DataLoader({ xs, ys }, { batchSize: 2 }).loadState(state));
    expectError(error, 'CHECKPOINT_MISMATCH', 'different options of new DataLoader()');
  });
});

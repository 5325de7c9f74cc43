import type { Batch, Hook } from '@hookline/hook-api';
import { errorOf, regression, regressor, TEST_BACKEND, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, expect, test } from 'vitest';
import { combine, type Data, DataLoader, type Source, selectBackend } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

beforeAll(() => selectBackend({ backend: TEST_BACKEND, root: '.' }));

const { xs, ys } = regression(10);
const flat = (values: number[][]) => Float32Array.from(values.flat());
const range = Array.from({ length: 10 }, (_, i) => i);

/** The ten samples in batches of 4, 4 and 2. */
function tensorBatches(): Batch[] {
  return [0, 4, 8].map((start) => ({
    xs: tf.tensor2d(xs.slice(start, start + 4)),
    ys: tf.tensor2d(ys.slice(start, start + 4)),
  }));
}

/** Batches of one sample whose first input is their number. */
function batches(count: number): Source {
  const samples = Array.from({ length: count }, (_, i) => i);
  return { xs: samples.map((i) => [i, 0, 0]), ys: samples.map(() => [0]) };
}

test('a path reaches the input of that name', async () => {
  const model = () => {
    const weight = tf.variable(tf.ones([1, 1]));
    return {
      parameters: () => ({ weight }),
      forward: (inputs: Record<string, tf.Tensor>) => tf.matMul(inputs['in/a'] as tf.Tensor2D, weight),
    };
  };
  const trainer = quietTrainer({ model: model as never });
  const result = await trainer.fit({
    train: { xs: { in: { a: range.map((i) => [i]) } }, ys: range.map((i) => [i * 10]) },
    epochs: 1,
  });
  expect(result.status).toBe('completed');
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
  const wide = { xs: range.map((i) => [i, 0, 0]), ys: range.map((i) => [i * 10]) };
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

test('batches in an array remain the user’s; those of a generator are disposed after use', async () => {
  const kept = tensorBatches();
  const given: Batch[] = [];
  const generate = function* () {
    for (const batch of tensorBatches()) {
      given.push(batch);
      yield batch;
    }
  };
  const train = (data: Data) =>
    quietTrainer({ model: regressor() }).fit({ train: data, epochs: 2, batchSize: 4 });
  await train(kept);
  expect(kept.map((batch) => (batch.xs as tf.Tensor).isDisposed)).toEqual([false, false, false]);
  await train(generate);
  expect(given).toHaveLength(6);
  expect(given.every(({ xs, ys }) => (xs as tf.Tensor).isDisposed && (ys as tf.Tensor).isDisposed)).toBe(
    true,
  );
  tf.dispose(kept as never);
});

test.each([
  ['train', (once: Data) => ({ train: once, epochs: 2 })],
  ['validation', (once: Data) => ({ train: { xs, ys }, validation: once, epochs: 2 })],
])('a generator that was already read is named, as %s data', async (name, options) => {
  const once = (function* () {
    yield* tensorBatches();
  })();
  const error = await errorOf(quietTrainer({ model: regressor() }).fit(options(once)));
  expect(error.code).toBe('BAD_DATA');
  expect(error.message).toContain(`Loader "${name}" gave no batch. An iterator can be read only once`);
  expect(error.message).toContain('give a function that starts a new one each time');
});

test('several named loaders follow one another, and events name them', async () => {
  const seen: string[] = [];
  const watch: Hook = {
    name: 'watch',
    onTrainBatchStart: (_ctx, { loaderName, loaderIndex, batchIndex, batch }) => {
      seen.push(`${batchIndex} ${loaderIndex} ${loaderName} ${(batch.xs as tf.Tensor).shape[0]}`);
    },
  };
  const trainer = quietTrainer({ model: regressor(), hooks: [watch] });
  await trainer.fit({
    train: {
      easy: { xs, ys },
      hard: tensorBatches(),
      odd: { xs: flat(xs.slice(0, 3)), ys: flat(ys.slice(0, 3)) },
    },
    epochs: 1,
    batchSize: 8,
  });
  expect(seen).toEqual(['0 0 easy 8', '1 0 easy 2', '2 1 hard 4', '3 1 hard 4', '4 1 hard 2', '5 2 odd 3']);
});

test('a typed array takes the shape of the model’s input; one value per sample makes class numbers', async () => {
  const model = tfl.sequential({
    layers: [
      tfl.layers.reshape({ targetShape: [6], inputShape: [2, 3] }),
      tfl.layers.dense({ units: 3, activation: 'softmax' }),
    ],
  });
  const shapes: number[][] = [];
  const watch: Hook = {
    name: 'watch',
    onTrainBatchStart: (_ctx, { batch }) => {
      shapes.push((batch.xs as tf.Tensor).shape, (batch.ys as tf.Tensor).shape);
    },
  };
  const trainer = quietTrainer({ model, loss: 'sparseCategoricalCrossentropy', hooks: [watch] });
  await trainer.fit({ train: { xs: new Uint8Array(24), ys: Uint8Array.of(0, 1, 2, 0) }, epochs: 1 });
  expect(shapes).toEqual([[4, 2, 3], [4]]);
});

test('fit mixes loaders by the strategy of combine(), and announces how many batches an epoch has', async () => {
  const seen: string[] = [];
  let announced: number | undefined;
  const watch: Hook = {
    name: 'watch',
    onTrainStart: (_ctx, { batchesPerEpoch }) => {
      announced = batchesPerEpoch;
    },
    onTrainBatchStart: (_ctx, { loaderName, batch }) => {
      seen.push(`${loaderName}${(batch.xs as tf.Tensor).dataSync()[0]}`);
    },
  };
  const train = combine(
    { a: batches(3), b: batches(1) },
    { strategy: 'roundRobin', whenExhausted: 'restart' },
  );
  const trainer = quietTrainer({ model: regressor(), hooks: [watch] });
  await trainer.fit({ train, epochs: 1, batchSize: 1, shuffle: false });
  expect(seen).toEqual(['a0', 'b0', 'a1', 'b0', 'a2', 'b0']);
  expect(announced).toBe(6);
});

test('a weighted mix follows the seed of the run', async () => {
  const orderOf = async (seed: number) => {
    const seen: string[] = [];
    const watch: Hook = {
      name: 'watch',
      onTrainBatchStart: (_ctx, { loaderName }) => void seen.push(loaderName),
    };
    const train = combine({ a: batches(20), b: batches(20) }, { strategy: 'weighted' });
    await quietTrainer({ model: regressor(), hooks: [watch], seed }).fit({ train, epochs: 1, batchSize: 1 });
    return seen.join('');
  };
  const first = await orderOf(1);
  expect(await orderOf(1)).toBe(first);
  expect(await orderOf(2)).not.toBe(first);
});

test('evaluation reads every loader once, whatever the strategy', async () => {
  const seen: string[] = [];
  const watch: Hook = {
    name: 'watch',
    onTestBatchStart: (_ctx, { loaderName, batch }) => {
      seen.push(`${loaderName}${(batch.xs as tf.Tensor).dataSync()[0]}`);
    },
  };
  const data = combine(
    { a: batches(2), b: batches(1) },
    { strategy: 'roundRobin', whenExhausted: 'restart' },
  );
  await quietTrainer({ model: regressor(), hooks: [watch] }).test({ data, batchSize: 1 });
  expect(seen).toEqual(['a0', 'a1', 'b0']);
});

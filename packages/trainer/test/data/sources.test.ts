import type { Batch, Hook } from '@hookline/hook-api';
import { errorOf, regression, regressor, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Data, selectBackend } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

beforeAll(() => selectBackend({ backend: 'cpu', root: '.' }));

const { xs, ys } = regression(10);
const flat = (values: number[][]) => Float32Array.from(values.flat());

/** Trains 2 epochs in batches of 4, 4 and 2, and returns the weights. */
async function train(data: Data, epochs = 2): Promise<number[][]> {
  const model = regressor();
  await quietTrainer({ model }).fit({ train: data, epochs, batchSize: 4, shuffle: false });
  return weightsOf(model);
}

/** The same batches, one after the other. */
function tensorBatches(): Batch[] {
  return [0, 4, 8].map((start) => ({
    xs: tf.tensor2d(xs.slice(start, start + 4)),
    ys: tf.tensor2d(ys.slice(start, start + 4)),
  }));
}

describe('the same samples train the same weights, as', () => {
  let expected: number[][];
  beforeAll(async () => {
    expected = await train({ xs, ys });
  });

  const sources: [string, () => Data][] = [
    ['tensors', () => ({ xs: tf.tensor2d(xs), ys: tf.tensor2d(ys) })],
    ['typed arrays', () => ({ xs: flat(xs), ys: flat(ys) })],
    ['typed arrays of double precision', () => ({ xs: Float64Array.from(xs.flat()), ys: flat(ys) })],
    ['nested arrays', () => ({ xs, ys })],
    ['a record of inputs', () => ({ xs: { hidden_input: xs }, ys: { out: ys } })],
    ['an array of batches of tensors', tensorBatches],
    [
      'an array of batches of numbers',
      () => [0, 4, 8].map((start) => ({ xs: xs.slice(start, start + 4), ys: ys.slice(start, start + 4) })),
    ],
    [
      'a function that returns a generator',
      () =>
        function* () {
          yield* tensorBatches();
        },
    ],
    [
      'a function that returns an async generator',
      () =>
        async function* () {
          for (const batch of tensorBatches()) {
            await Promise.resolve();
            yield batch;
          }
        },
    ],
    [
      'a generator of typed arrays',
      () =>
        function* () {
          for (const start of [0, 4, 8])
            yield { xs: flat(xs.slice(start, start + 4)), ys: tf.tensor2d(ys.slice(start, start + 4)) };
        },
    ],
    ['an iterable of its own', () => ({ [Symbol.iterator]: () => tensorBatches()[Symbol.iterator]() })],
    ['a loader of its own', () => ({ name: 'mine', batches: 3, owned: true, epoch: () => tensorBatches() })],
  ];

  test.each(sources)('%s', async (_name, make) => {
    const data = make();
    expect(await train(data)).toEqual(expected);
  });
});

test('batches in an array stay the user’s; those of a generator are disposed after use', async () => {
  const kept = tensorBatches();
  const given: Batch[] = [];
  const generate = function* () {
    for (const batch of tensorBatches()) {
      given.push(batch);
      yield batch;
    }
  };
  await train(kept);
  expect(kept.map((batch) => (batch.xs as tf.Tensor).isDisposed)).toEqual([false, false, false]);
  await train(generate);
  expect(given).toHaveLength(6);
  expect(given.every(({ xs, ys }) => (xs as tf.Tensor).isDisposed && (ys as tf.Tensor).isDisposed)).toBe(
    true,
  );
  tf.dispose(kept as never);
});

test('a table of tensors stays the user’s', async () => {
  const table = { xs: tf.tensor2d(xs), ys: tf.tensor2d(ys), weights: tf.ones([10]) };
  await train(table);
  expect([table.xs, table.ys, table.weights].some(({ isDisposed }) => isDisposed)).toBe(false);
  tf.dispose(table);
});

test.each([
  ['train', (once: Data) => ({ train: once, epochs: 2 })],
  ['validation', (once: Data) => ({ train: { xs, ys }, validation: once, epochs: 2 })],
])('a generator that is used up is named, as %s data', async (name, options) => {
  const once = (function* () {
    yield* tensorBatches();
  })();
  const error = await errorOf(quietTrainer({ model: regressor() }).fit(options(once)));
  expect(error.code).toBe('BAD_DATA');
  expect(error.message).toContain(`Loader "${name}" gave no batch. An iterator runs once`);
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

test('an epoch that is left early closes the generator', async () => {
  let closed = false;
  const endless = async function* () {
    try {
      for (;;) yield tensorBatches()[0]!;
    } finally {
      closed = true;
    }
  };
  const stop: Hook = {
    name: 'stop',
    onTrainBatchEnd: (ctx, { batchIndex }) => {
      if (batchIndex === 2) ctx.stop('enough');
    },
  };
  await quietTrainer({ model: regressor(), hooks: [stop] }).fit({ train: endless, epochs: 5 });
  expect(closed).toBe(true);
});

import type { Hook } from '@hookline/hook-api';
import { regressor, TEST_BACKEND } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, onTestFinished, test } from 'vitest';
import { combine, type Data, DataLoader, selectBackend } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const rows = Array.from({ length: 40 }, (_, i) => ({ xs: [i / 40, 1, 0], ys: [i / 20] }));
const xs = rows.map((row) => row.xs);
const ys = rows.map((row) => row.ys);
const tensorSample = () => ({ xs: tf.ones([3]), ys: tf.zeros([1]) });
const tensorBatch = () => ({ xs: tf.ones([4, 3]), ys: tf.zeros([4, 1]) });

const kinds: Record<string, () => Data> = {
  tensors: () => ({ xs: tf.tensor2d(xs), ys: tf.tensor2d(ys) }),
  arrays: () => ({ xs: Float32Array.from(xs.flat()), ys, weights: ys.flat() }),
  nested: () => ({ xs: { hidden_input: xs }, ys: { out: ys } }),
  batches: () => [tensorBatch(), { xs, ys }, { xs: tf.tensor2d(xs), ys }],
  generator: () =>
    function* () {
      for (let i = 0; i < 5; i++) {
        yield tensorBatch();
        yield { xs, ys };
        yield { xs: tf.tensor2d(xs), ys };
      }
    },
  stream: () =>
    new DataLoader(
      async function* () {
        for (let i = 0; i < 10; i++) yield tensorBatch();
      },
      { shuffle: true, shuffleBuffer: 4, prefetch: 3 },
    ),
  samples: () =>
    new DataLoader(
      async function* () {
        for (let i = 0; i < 10; i++) yield tensorSample();
      },
      { samples: true, shuffle: true, shuffleBuffer: 4, dropLast: true },
    ),
  indexed: () =>
    new DataLoader({ length: 10, at: async () => tensorSample() }, { samples: true, checkData: true }),
  array: () => new DataLoader([tensorSample(), tensorSample()], { samples: true }),
  collated: () => {
    const users = [tensorSample(), tensorSample()];
    return new DataLoader(users, {
      // Hands a tensor of the user's on, and makes one that nobody needs.
      collate: ([first]) => ({ xs: [xs[0]!], ys: tf.reshape(first!.ys, [1, 1]) }),
      batchSize: 1,
    });
  },
  dataset: () => ({
    iterator: async () => [tensorBatch(), tensorBatch()][Symbol.iterator]() as never,
    forEachAsync: async () => {},
  }),
};

test('500 steps of training on all kinds in turn leave no tensor behind', async () => {
  onTestFinished(async () => void (await selectBackend({ backend: TEST_BACKEND, root: '.' })));
  const sources = Object.fromEntries(Object.entries(kinds).map(([name, make]) => [name, make() as never]));
  const train = combine(sources, { strategy: 'roundRobin', whenExhausted: 'restart' });
  const trainer = quietTrainer({ model: regressor(), backend: 'wasm', optimizer: { name: 'sgd', lr: 1e-4 } });
  await trainer.fit({ train, epochs: 1, batchSize: 4 });
  const levels = new Set<number>();
  let steps = 0;
  const watch: Hook = {
    name: 'watch',
    onEpochStart: () => void levels.add(tf.memory().numTensors),
    onTrainEnd: (ctx) => {
      steps = ctx.state.step;
    },
  };
  trainer.addHook(watch);
  await trainer.fit({ train, epochs: 1000, maxSteps: 500, batchSize: 4 });
  levels.add(tf.memory().numTensors);
  expect(steps).toBe(500);
  expect([...levels]).toHaveLength(1);
});

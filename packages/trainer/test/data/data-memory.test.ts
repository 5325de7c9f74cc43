import type { Hook } from '@hookline/hook-api';
import { dataKinds, regressor, TEST_BACKEND } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, onTestFinished, test } from 'vitest';
import { combine, type Data, DataLoader, selectBackend } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const kinds = dataKinds<Data>((source, options) => new DataLoader(source as never, options));

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

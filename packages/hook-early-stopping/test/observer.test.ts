import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { earlyStopping } from '../src/index.js';
import { scriptedRun } from './scripted-run.js';

const LOSSES = [0.5, 0.4, 0.6, 0.3, 0.2, 0.7];

test('until it stops the run, training is the same to the bit with it and without', async () => {
  const without = scriptedRun(LOSSES);
  const watched = scriptedRun(LOSSES, earlyStopping({ restoreBest: true, patience: 100 }));
  expect((await watched.fit()).history).toEqual((await without.fit()).history);
  expect(watched.weightAfterEpoch).toEqual(without.weightAfterEpoch);
});

test('keeping and restoring the best weights leaves no tensor behind', async () => {
  const run = scriptedRun([...LOSSES, ...LOSSES], earlyStopping({ restoreBest: true }));
  await run.fit({ epochs: 2 });
  const { numTensors } = tf.memory();
  await run.fit({ epochs: 10 });
  expect(tf.memory().numTensors).toBe(numTensors);
});

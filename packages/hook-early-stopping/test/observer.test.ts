import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { earlyStopping } from '../src/index.js';
import { scriptedRun } from './scripted-run.js';

const LOSSES = [0.5, 0.4, 0.6, 0.3, 0.2, 0.7];

test('keeping and restoring the best weights leaves no tensor behind', async () => {
  const run = scriptedRun([...LOSSES, ...LOSSES], earlyStopping({ restoreBest: true }));
  await run.fit({ epochs: 2 });
  const { numTensors } = tf.memory();
  await run.fit({ epochs: 10 });
  expect(tf.memory().numTensors).toBe(numTensors);
});

import { farBackend, tempFolder } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, onTestFinished, test } from 'vitest';
import { debug, replay } from '../src/index.js';
import { chain } from './chain.js';
import { watchedRun } from './watched-run.js';

test('the first bad layer is found, and replayed, where the device can be read only by waiting for it', async () => {
  const before = tf.getBackend();
  const { name: backend } = farBackend({ readsNow: false });
  await tf.setBackend(backend);
  onTestFinished(() => tf.setBackend(before).then(() => {}));
  const { said } = await watchedRun([debug()], {
    ...{ model: chain([1, 3e38, 1]), data: { xs: [[10]], ys: [[1]] } },
    ...{ backend, runsDir: tempFolder() },
  });
  expect(said[0]!.fields.layer).toBe('second');
  const tensors = tf.memory().numTensors;
  const model = chain()();
  const made = tf.memory().numTensors - tensors;
  const report = await replay(said[0]!.fields.bundle as string, { model });
  expect(report).toMatchObject({ bad: true, firstBadLayer: 'second' });
  expect(tf.memory().numTensors - tensors).toBe(made);
});

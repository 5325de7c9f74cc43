import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { lateAnalysis } from '../src/late-analysis.js';
import { train } from './tiny-training.js';

test('outliers are reported once the first epochs are done, and not before', async () => {
  const xs = tf.ones([8, 2]);
  const ys = tf.tensor2d([0, 0, 0, 0, 0, 100, 0, 0], [8, 1]);
  const data = { train: { xs, ys }, batchSize: 1, shuffle: false };

  const { said } = await train(
    [lateAnalysis({ afterEpochs: 2 })],
    { ...data, epochs: 4 },
    { optimizer: { name: 'sgd', lr: 1e-6 } },
  );

  const outliers = said.filter((line) => line.startsWith('warn late-analysis'));
  expect(outliers.map((line) => line.replace(/: loss .*/, ''))).toEqual([
    'warn late-analysis: Batch 5 of epoch 3 is an outlier',
    'warn late-analysis: Batch 5 of epoch 4 is an outlier',
  ]);
});

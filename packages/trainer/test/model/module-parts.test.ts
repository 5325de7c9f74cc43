import type { TrainableModule } from '@hookline/hook-api';
import { recorder, regression, TEST_BACKEND, weightsOf } from '@hookline/test-support';
import type * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, expect, test } from 'vitest';
import { applyPart, selectBackend } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

beforeAll(() => selectBackend({ backend: TEST_BACKEND, root: '.' }));

function layers(): tfl.layers.Layer[] {
  return [
    tfl.layers.dense({
      units: 4,
      inputShape: [3],
      activation: 'tanh',
      kernelRegularizer: tfl.regularizers.l2({ l2: 0.1 }),
      kernelInitializer: tfl.initializers.glorotUniform({ seed: 3 }),
    }),
    tfl.layers.batchNormalization(),
    tfl.layers.dropout({ rate: 0.3, seed: 5 }),
    tfl.layers.dense({ units: 1, kernelInitializer: tfl.initializers.glorotUniform({ seed: 4 }) }),
  ];
}

test('a model inside a module trains as it does alone: penalties, averages, dropout and all', async () => {
  const alone = tfl.sequential({ layers: layers() });
  const part = tfl.sequential({ layers: layers() });
  const module: TrainableModule<{ xs: tf.Tensor; ys: tf.Tensor }, tf.Tensor> = {
    parts: () => ({ net: part }),
    forward: (xs, options) => applyPart(part, xs, options),
  };
  const fit = { train: regression(16), validation: regression(8, 2), epochs: 3, batchSize: 4 };
  const seen = recorder('taps', ['onForward', 'onAfterBackward']);
  const expected = await quietTrainer({ model: alone }).fit(fit);
  const given = await quietTrainer({ model: module, hooks: [seen] }).fit(fit);
  expect(given.history).toEqual(expected.history);
  expect(weightsOf(part)).toEqual(weightsOf(alone));
  expect(seen.of('onForward')[0]!.payload.path).toBe('net/dense_1');
  expect(Object.keys(seen.of('onAfterBackward')[0]!.payload.gradients)).toEqual([
    'net/dense_1/kernel',
    'net/dense_1/bias',
    'net/batch_normalization_1/gamma',
    'net/batch_normalization_1/beta',
    'net/dense_2/kernel',
    'net/dense_2/bias',
  ]);
});

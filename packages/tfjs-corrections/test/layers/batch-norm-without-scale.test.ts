import { rows } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { expectTrueGradients, stockLoss, trainingStep } from './training-step.js';

const data = rows(6, 2, 4);
const batch = { xs: tf.tensor2d(data), ys: tf.zeros([6, 2]) };

const settings = [
  { scale: false, center: true },
  { scale: true, center: false },
  { scale: false, center: false },
];

/** A dense layer that changes nothing at first, so that there is something to learn before the normalisation. */
function model(settings: { scale: boolean; center: boolean }): tfl.Sequential {
  return tfl.sequential({
    layers: [
      tfl.layers.dense({ name: 'before', units: 2, inputShape: [2], kernelInitializer: 'identity' }),
      tfl.layers.batchNormalization({ ...settings, epsilon: 0.1, gammaInitializer: 'ones' }),
      tfl.layers.dense({
        name: 'after',
        units: 2,
        kernelInitializer: tfl.initializers.constant({ value: 0.7 }),
      }),
    ],
  });
}

/** In plain numbers: 0.7 times the sum of both columns, normalised, squared. */
function expectedLoss(): number {
  const columns = [0, 1].map((column) => {
    const values = data.map((row) => row[column]!);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    return values.map((value) => (value - mean) / Math.sqrt(variance + 0.1));
  });
  const outputs = data.map((_, row) => 0.7 * (columns[0]![row]! + columns[1]![row]!));
  return outputs.reduce((sum, value) => sum + value * value, 0) / outputs.length;
}

test.each(settings)('stock tfjs cannot train a batch normalisation with %o', async (setting) => {
  await expect(stockLoss(model(setting), batch)).rejects.toThrow("reading 'read'");
});

test.each(settings)('a batch normalisation with %o trains', async (setting) => {
  const { loss } = await expectTrueGradients(model(setting), batch);
  expect(loss).toBeCloseTo(expectedLoss(), 5);
});

test.each(settings)('a frozen batch normalisation with %o can be trained through', async (setting) => {
  const frozen = model(setting);
  frozen.layers[1]!.trainable = false;
  const { gradients } = await expectTrueGradients(frozen, batch);
  expect(Object.keys(gradients)).toEqual(['before/kernel', 'before/bias', 'after/kernel', 'after/bias']);
});

test('on wasm, too', async () => {
  const { loss } = await trainingStep(model({ scale: false, center: false }), batch, { backend: 'wasm' });
  expect(loss).toBeCloseTo(expectedLoss(), 5);
});

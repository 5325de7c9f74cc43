import { rows } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { dataLoss, expectTrueGradients, stockLoss, trainingStep, valuesOf } from './training-step.js';

const { layers } = tfl;
const batch = { xs: tf.tensor2d(rows(6, 2, 4)), ys: tf.tensor2d(rows(6, 1, 5)) };

function batchNorm(): tfl.layers.Layer {
  return layers.batchNormalization({
    movingMeanInitializer: tfl.initializers.constant({ value: 0.3 }),
    movingVarianceInitializer: tfl.initializers.constant({ value: 2 }),
  });
}

const dense = (units: number) =>
  layers.dense({ units, kernelInitializer: tfl.initializers.constant({ value: 0.7 }) });

function direct(): { model: tfl.LayersModel; frozen: tfl.layers.Layer; norm: tfl.layers.Layer } {
  const norm = batchNorm();
  const model = tfl.sequential({
    layers: [layers.inputLayer({ inputShape: [2] }), dense(2), norm, dense(1)],
  });
  return { model, frozen: norm, norm };
}

/** The model around the normalisation is frozen, not the layer itself. */
function inside(): { model: tfl.LayersModel; frozen: tfl.layers.Layer; norm: tfl.layers.Layer } {
  const norm = batchNorm();
  const frozen = tfl.sequential({ layers: [layers.inputLayer({ inputShape: [2] }), norm] });
  const model = tfl.sequential({
    layers: [layers.inputLayer({ inputShape: [2] }), dense(2), frozen, dense(1)],
  });
  return { model, frozen, norm };
}

const averagesOf = (norm: tfl.layers.Layer) =>
  norm.weights.filter(({ name }) => name.includes('moving')).map((weight) => valuesOf(weight.read()));
const START = [
  [0.3, 0.3],
  [2, 2],
].map((values) => values.map(Math.fround));

test('stock tfjs moves the averages of a frozen batch normalisation and does not use them', async () => {
  const { model, frozen, norm } = direct();
  frozen.trainable = false;
  const withAverages = dataLoss(model, batch);
  expect(Math.abs((await stockLoss(model, batch)) - withAverages)).toBeGreaterThan(0.01);
  expect(averagesOf(norm)).not.toEqual(START);
});

test.each([
  ['the layer itself', 'cpu', direct],
  ['the layer itself', 'wasm', direct],
  ['the model around it', 'cpu', inside],
] as const)(
  'a frozen batch normalisation uses its averages and does not change them: %s, %s',
  async (_what, backend, make) => {
    const { model, frozen, norm } = make();
    frozen.trainable = false;
    const { loss } = await expectTrueGradients(model, batch, { backend });
    expect(loss).toBeCloseTo(dataLoss(model, batch), 5);
    expect(averagesOf(norm)).toEqual(START);
  },
);

test('a batch normalisation that is not frozen moves its averages once in each step', async () => {
  const { model, norm } = direct();
  const dense = tf.tidy(() => tf.matMul(batch.xs, tf.fill([2, 2], 0.7)));
  const mean = valuesOf(tf.mean(dense, 0));
  for (let step = 0; step < 2; step++) await trainingStep(model, batch);
  const [moved] = averagesOf(norm);
  // The moving average over two steps of the same batch, with the default momentum of 0.99.
  moved!.forEach((value, i) => {
    expect(value).toBeCloseTo(mean[i]! + (0.3 - mean[i]!) * 0.99 ** 2, 5);
  });
});

test('a layer can be frozen between steps', async () => {
  const { model, norm } = direct();
  await trainingStep(model, batch);
  norm.trainable = false;
  const after = averagesOf(norm);
  expect(after).not.toEqual(START);
  await trainingStep(model, batch);
  expect(averagesOf(norm)).toEqual(after);
});

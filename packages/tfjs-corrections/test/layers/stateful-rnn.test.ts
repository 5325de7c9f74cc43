import { fixWeights, rows } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { isStatefulRnn as keeps } from '../../src/index.js';
import { correctedLoss, valuesOf } from './training-step.js';

const batches = [1, 2, 3].map((seed) => ({
  xs: tf.tensor3d(rows(2, 6, seed).flat(), [2, 3, 2]),
  ys: tf.tensor2d(rows(2, 2, seed + 5)),
}));

function stateful(): tfl.Sequential {
  const lstm = tfl.layers.lstm({ units: 2, stateful: true, batchInputShape: [2, 3, 2] });
  return fixWeights(tfl.sequential({ layers: [lstm] }));
}

test('stock tfjs keeps two tensors of a stateful LSTM in every training step', async () => {
  const model = stateful();
  model.compile({ loss: 'meanSquaredError', optimizer: tf.train.sgd(0.1) });
  await model.trainOnBatch(batches[0]!.xs, batches[0]!.ys);
  const before = tf.memory().numTensors;
  for (const { xs, ys } of batches) await model.trainOnBatch(xs, ys);
  expect(tf.memory().numTensors - before).toBe(6);
});

/** Training in a loop of one's own, with the corrections. */
function train(model: tfl.LayersModel): void {
  const loss = correctedLoss(model);
  const optimizer = tf.train.sgd(0.1);
  for (const batch of batches) optimizer.minimize(() => loss(batch));
}

test('a stateful LSTM leaves nothing behind, and trains to the same weights', async () => {
  const reference = stateful();
  reference.compile({ loss: 'meanSquaredError', optimizer: tf.train.sgd(0.1) });
  for (const { xs, ys } of batches) await reference.trainOnBatch(xs, ys);

  const model = stateful();
  train(model);
  const [actual, expected] = [model, reference].map((each) => each.getWeights().flatMap(valuesOf));
  expected!.forEach((value, i) => {
    expect(actual![i]).toBeCloseTo(value, 5);
  });

  const before = tf.memory().numTensors;
  for (let epoch = 0; epoch < 2; epoch++) train(model);
  // Two scalars of tf.train.sgd stay for each optimizer that was made.
  expect(tf.memory().numTensors - before).toBeLessThanOrEqual(2);
});

test('isStatefulRnn tells which layers keep states from batch to batch', () => {
  const { layers } = tfl;
  for (const make of [layers.simpleRNN, layers.lstm, layers.gru]) {
    expect(keeps(make({ units: 2, stateful: true }))).toBe(true);
    expect(keeps(make({ units: 2 }))).toBe(false);
  }
  const wrapped = layers.bidirectional({ layer: layers.lstm({ units: 2, stateful: true }) as tfl.RNN });
  expect([keeps(wrapped), keeps(layers.dense({ units: 2 }))]).toEqual([false, false]);
});

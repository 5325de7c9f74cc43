import { tap } from '@hookline/layer-taps';
import { needyModel, ownProperties, regressor, rows } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { correctLayers } from '../../src/index.js';
import { predict, trainingStep, valuesOf } from './training-step.js';

const { layers } = tfl;
const batch = { xs: tf.tensor3d(rows(2, 6).flat(), [2, 3, 2]), ys: tf.tensor2d(rows(2, 2, 5)) };

test('after a forward pass the model is as it was', async () => {
  const model = needyModel();
  const [before, json] = [ownProperties(model), model.toJSON()];
  await trainingStep(model, batch);
  await predict(model, batch.xs);
  expect(ownProperties(model)).toEqual(before);
  expect(model.toJSON()).toEqual(json);
});

test('after a forward pass that fails the model is as it was', () => {
  const model = needyModel();
  const before = ownProperties(model);
  const fail = () => {
    expect(ownProperties(model)).not.toEqual(before);
    throw new Error('no');
  };
  expect(() => correctLayers(model)(true, fail)).toThrow('no');
  expect(ownProperties(model)).toEqual(before);
});

test('a model that needs nothing is left alone during the pass, too', () => {
  const model = regressor();
  const before = ownProperties(model);
  expect(correctLayers(model)(true, () => ownProperties(model))).toEqual(before);
  const other = needyModel();
  expect(correctLayers(other)(true, () => ownProperties(other))).not.toEqual(ownProperties(other));
});

test('taps see the corrected layers and change nothing', async () => {
  const { loss } = await trainingStep(needyModel(), batch);
  const model = needyModel();
  const seen: Record<string, number[]> = {};
  const tapped = tap(model, ['frozen', 'plain', 'lstm'], ({ path, output }) => {
    seen[path] = valuesOf(output);
  });
  const { loss: watched } = await trainingStep(model, batch);
  tapped.remove();
  expect(watched).toBe(loss);
  expect(Object.keys(seen)).toEqual(['frozen', 'plain', 'lstm']);
  // Frozen: normalised with the averages, as in prediction.
  const [masking, frozen] = model.layers;
  const expected = tf.tidy(() => valuesOf(frozen!.call(masking!.call(batch.xs, {}), {}) as tf.Tensor));
  expect(seen.frozen).toEqual(expected);
  // Plain: mean 0 over the batch in each channel.
  const channel = seen.plain!.filter((_, i) => i % 2 === 0);
  expect(channel.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 4);
});

test('a tap that is set during a pass outlives it', async () => {
  const model = needyModel();
  let later: ReturnType<typeof tap> | undefined;
  let calls = 0;
  const first = tap(model, 'frozen', () => {
    later ??= tap(model, 'frozen', () => {
      calls++;
    });
  });
  await trainingStep(model, batch);
  const before = calls;
  const frozen = model.layers[1]!;
  const weights = () => frozen.getWeights().flatMap(valuesOf);
  const averages = weights();
  frozen.call(batch.xs, { training: true });
  expect(calls).toBe(before + 1);
  // Outside of the pass the layer is stock again: it moves its averages although it is frozen.
  expect(weights()).not.toEqual(averages);
  later!.remove();
  first.remove();
});

test('a layer that is used by two models is corrected in the passes of both', async () => {
  const shared = layers.batchNormalization({ trainable: false });
  const make = () =>
    tfl.sequential({ layers: [layers.inputLayer({ inputShape: [2] }), shared, layers.dense({ units: 2 })] });
  const averages = () => shared.getWeights().slice(2).map(valuesOf);
  const flat = { xs: tf.tensor2d(rows(4, 2)), ys: tf.tensor2d(rows(4, 2, 5)) };
  const [one, two] = [make(), make()];
  const before = averages();
  for (const model of [one, two, one]) await trainingStep(model, flat);
  expect(averages()).toEqual(before);
});

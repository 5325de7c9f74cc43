import { fixWeights, rows, TEST_BACKENDS } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { expectTrueGradients, predict, stockLoss, valuesOf } from './training-step.js';

const xs = tf.tensor3d(rows(2, 12, 4).flat(), [2, 3, 4]);
const batch = { xs, ys: tf.tensor3d(rows(2, 12, 5).flat(), [2, 3, 4]) };

/** Normalises the middle axis: three channels, each over two samples and four places. */
function model(): tfl.Sequential {
  const norm = tfl.layers.batchNormalization({ axis: 1, inputShape: [3, 4] });
  const built = fixWeights(tfl.sequential({ layers: [norm] }));
  const [, , , variance] = norm.weights;
  variance!.write(tf.tensor1d([0.5, 1, 2]));
  return built;
}

/** (x - mean) / sqrt(variance + 0.001) * gamma + beta, in plain numbers. */
function inference(norm: tfl.layers.Layer): number[] {
  const [gamma, beta, mean, variance] = norm.weights.map((weight) => valuesOf(weight.read()));
  return valuesOf(xs).map((value, i) => {
    const channel = Math.floor(i / 4) % 3;
    const normal = (value - mean![channel]!) / Math.sqrt(variance![channel]! + 0.001);
    return normal * gamma![channel]! + beta![channel]!;
  });
}

function largestDifference(actual: readonly number[], expected: readonly number[]): number {
  return Math.max(...expected.map((value, i) => Math.abs(value - actual[i]!)));
}

test('stock tfjs mixes up the channels of a batch normalisation over another axis than the last', async () => {
  const { layers, ...stock } = { layers: model().layers, model: model() };
  const actual = valuesOf(stock.model.predict(xs) as tf.Tensor);
  expect(largestDifference(actual, inference(layers[0]!))).toBeGreaterThan(0.1);
  await expect(stockLoss(model(), batch)).rejects.toThrow('must match the product of shape');
});

test.each(TEST_BACKENDS)('a batch normalisation over any axis is right and trains: %s', async (backend) => {
  const normalised = model();
  const [output] = (await predict(normalised, xs, { backend })) as [tf.Tensor];
  expect(output.shape).toEqual([2, 3, 4]);
  expect(largestDifference(valuesOf(output), inference(normalised.layers[0]!))).toBeLessThan(1e-5);
  await expectTrueGradients(normalised, batch, { backend });
});

import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';

// The trainer is imported in the second test, because its import is what is tested.
const build = () => tfl.sequential({ layers: [tfl.layers.lstm({ units: 3, inputShape: [4, 2] })] });

test('stock tfjs cannot make an LSTM without the package @tensorflow/tfjs', async () => {
  // Keeps the backend from printing an advertisement.
  tf.env().set('IS_TEST', true);
  await tf.setBackend('cpu');
  expect(build).toThrow('flatten is not a function');
  const r2Score = () => tfl.metrics.r2Score(tf.tensor1d([1, 2]), tf.tensor1d([1, 3]));
  expect(r2Score).toThrow('is not a function');
});

test('importing the trainer makes the default initializer of RNNs work', async () => {
  await import('../../src/index.js');
  const recurrent = build().weights[1]!.read();
  expect(recurrent.shape).toEqual([3, 12]);
  // The rows of an orthogonal matrix have length 1 and are at right angles.
  const product = tf.matMul(recurrent as tf.Tensor2D, recurrent as tf.Tensor2D, false, true).dataSync();
  product.forEach((value, i) => {
    expect(value).toBeCloseTo(i % 4 === 0 ? 1 : 0, 5);
  });
  expect(tfl.metrics.r2Score(tf.tensor1d([1, 2]), tf.tensor1d([1, 3])).dataSync()[0]).toBeCloseTo(-1, 5);
});

import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { completeChainedOps, correctTfjs } from '../src/index.js';

const build = () => tfl.sequential({ layers: [tfl.layers.lstm({ units: 3, inputShape: [4, 2] })] });
const methods = () => Object.keys(Object.getOwnPropertyDescriptors(tf.Tensor.prototype)).sort();

test('stock tfjs cannot make an LSTM without the package @tensorflow/tfjs, and importing this one changes nothing', async () => {
  await useBackend('cpu');
  expect(build).toThrow('flatten is not a function');
  const r2Score = () => tfl.metrics.r2Score(tf.tensor1d([1, 2]), tf.tensor1d([1, 3]));
  expect(r2Score).toThrow('is not a function');
});

test('correctTfjs() makes the default initializer of RNNs work, and adds no more methods than needed', () => {
  const before = methods();
  correctTfjs();
  const added = methods().filter((name) => !before.includes(name));
  expect(added).toEqual([
    'div',
    'flatten',
    'mean',
    'reshape',
    'sign',
    'square',
    'stridedSlice',
    'sub',
    'sum',
    'transpose',
  ]);
  // Not among what `for in` finds.
  const found: string[] = [];
  for (const name in tf.tensor1d([1])) found.push(name);
  expect(found).not.toContain('reshape');

  const recurrent = build().weights[1]!.read();
  expect(recurrent.shape).toEqual([3, 12]);
  // The rows of an orthogonal matrix have length 1 and are at right angles.
  const product = tf.matMul(recurrent as tf.Tensor2D, recurrent as tf.Tensor2D, false, true).dataSync();
  product.forEach((value, i) => {
    expect(value).toBeCloseTo(i % 4 === 0 ? 1 : 0, 5);
  });
  expect(tfl.metrics.r2Score(tf.tensor1d([1, 2]), tf.tensor1d([1, 3])).dataSync()[0]).toBeCloseTo(-1, 5);
});

test('a method that already exists is kept', () => {
  const own = () => tf.scalar(42);
  Object.assign(tf.Tensor.prototype, { square: own });
  completeChainedOps();
  expect((tf.Tensor.prototype as unknown as { square: unknown }).square).toBe(own);
});

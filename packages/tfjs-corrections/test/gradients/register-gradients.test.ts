import { itOn, TEST_BACKENDS, useBackend, useStockGradients } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, expect, test } from 'vitest';
import { registerGradients } from '../../src/index.js';

await useBackend();

afterEach(useStockGradients);

/** Learns `slope` through a condition, a slice and the largest elements. */
function learner(): { loss: () => tf.Scalar; slope: tf.Variable } {
  const slope = tf.variable(tf.scalar(0.5));
  const loss = () => {
    const scaled = tf.mul(batch.xs, slope);
    const rectified = tf.where(tf.greater(scaled, 0), scaled, tf.mul(scaled, 0.1));
    const taken = tf.stridedSlice(tf.topk(rectified, 4).values, [0, 0], [2, 4], [1, 2]);
    return tf.losses.meanSquaredError(batch.ys, taken) as tf.Scalar;
  };
  return { loss, slope };
}

const batch = {
  xs: tf.tensor2d([1, -2, 3, 4, 5, 6, -7, 8], [2, 4]),
  ys: tf.tensor2d([8, 2, 16, 10], [2, 2]),
};

// Files of npm run native share a process, and an earlier one has probably corrected tfjs: alone, it passes there as well.
itOn('cpu')('stock tfjs cannot train a model of such functions', () => {
  const { loss, slope } = learner();
  expect(() => tf.variableGrads(loss, [slope])).toThrow('gradient function not found');
});

test.each(TEST_BACKENDS)('with the gradients registered the model learns: %s', async (backend) => {
  await useBackend(backend);
  registerGradients();
  const { loss, slope } = learner();
  const optimizer = tf.train.adam(0.1);
  for (let step = 0; step < 100; step++) optimizer.minimize(loss, false, [slope]);
  // The largest and the third: 4 and 1, 8 and 5, times two.
  expect(slope.dataSync()[0]).toBeCloseTo(2, 1);
  await useBackend();
});

test('a second registration changes nothing', () => {
  registerGradients();
  const kernels = [tf.Einsum, tf.Maximum, tf.Cast, tf.Greater];
  const first = kernels.map(tf.getGradient);
  registerGradients();
  kernels.forEach((kernel, i) => {
    expect(tf.getGradient(kernel)).toBe(first[i]);
  });
});

test('a gradient that somebody else gave for an operation without one is kept', () => {
  const own: tf.GradConfig = { kernelName: tf.Einsum, gradFunc: () => ({}) };
  tf.registerGradient(own);
  registerGradients();
  expect(tf.getGradient(tf.Einsum)).toBe(own);
  tf.unregisterGradient(tf.Einsum);
});

test('gradients are corrected again after tfjs has registered its own once more', () => {
  registerGradients();
  const mended = tf.getGradient(tf.Maximum);
  useStockGradients();
  expect(tf.getGradient(tf.Maximum)).not.toBe(mended);
  registerGradients();
  expect(tf.getGradient(tf.Maximum)).toBe(mended);
});

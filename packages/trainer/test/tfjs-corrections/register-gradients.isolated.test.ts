import type { TrainableModule } from '@hookline/hook-api';
import { useStockGradients } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

afterEach(useStockGradients);

/** Learns `slope` through a condition, a slice and the largest elements. */
function learner(): { module: TrainableModule; slope: tf.Variable } {
  const slope = tf.variable(tf.scalar(0.5));
  const module: TrainableModule = {
    parameters: () => ({ slope }),
    forward: (xs) => {
      const scaled = tf.mul(xs as tf.Tensor, slope);
      const rectified = tf.where(tf.greater(scaled, 0), scaled, tf.mul(scaled, 0.1));
      return tf.stridedSlice(tf.topk(rectified, 4).values, [0, 0], [2, 4], [1, 2]);
    },
  };
  return { module, slope };
}

const batch = {
  xs: tf.tensor2d([1, -2, 3, 4, 5, 6, -7, 8], [2, 4]),
  ys: tf.tensor2d([8, 2, 16, 10], [2, 2]),
};

test('stock tfjs cannot train a model of such functions', () => {
  const { module, slope } = learner();
  const context = { training: true, tap: <Output>(_path: string, output: Output) => output };
  const loss = () =>
    tf.losses.meanSquaredError(batch.ys, module.forward(batch.xs, context) as tf.Tensor) as tf.Scalar;
  expect(() => tf.variableGrads(loss, [slope])).toThrow('gradient function not found');
});

test.each(['cpu', 'wasm'] as const)(
  'a trainer registers the gradients, and the model learns: %s',
  async (backend) => {
    const { module, slope } = learner();
    const trainer = quietTrainer({ model: module, backend, optimizer: { name: 'adam', lr: 0.1 } });
    await trainer.fit({ train: [batch], epochs: 100 });
    // The largest and the third: 4 and 1, 8 and 5, times two.
    expect(slope.dataSync()[0]).toBeCloseTo(2, 1);
  },
);

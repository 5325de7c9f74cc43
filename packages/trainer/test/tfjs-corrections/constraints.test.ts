import { fixWeights, rows } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';
import { valuesOf } from './training-step.js';

const { layers, constraints } = tfl;
const batch = {
  xs: tf.tensor3d(rows(2, 6).flat(), [2, 3, 2]),
  ys: tf.tensor2d([[50], [-50]]),
};

/** Columns of all kernels may be 0.1 long, no more. */
function constrained(): tfl.Sequential {
  const maxNorm = () => constraints.maxNorm({ maxValue: 0.1, axis: 0 });
  return fixWeights(
    tfl.sequential({
      layers: [
        layers.simpleRNN({
          units: 2,
          inputShape: [3, 2],
          kernelConstraint: maxNorm(),
          recurrentConstraint: maxNorm(),
        }),
        layers.dense({ units: 1, kernelConstraint: maxNorm() }),
      ],
    }),
  );
}

/** The longest column of each kernel. */
function lengths(model: tfl.LayersModel): number[] {
  return model.weights
    .filter(({ shape }) => shape.length === 2)
    .map((weight) => Math.max(...valuesOf(tf.tidy(() => tf.norm(weight.read(), 'euclidean', 0)))));
}

test('stock tfjs does not apply weight constraints', async () => {
  const model = constrained();
  model.compile({ loss: 'meanSquaredError', optimizer: tf.train.sgd(0.1) });
  await model.trainOnBatch(batch.xs, batch.ys);
  expect(Math.max(...lengths(model))).toBeGreaterThan(0.3);
});

test('weight constraints hold after every step, those of RNN cells too', async () => {
  const model = constrained();
  const trainer = quietTrainer({ model, optimizer: { name: 'sgd', lr: 0.1 } });
  await trainer.fit({ train: [batch, batch], epochs: 2 });
  const kernels = lengths(model);
  expect(kernels).toHaveLength(3);
  for (const length of kernels) expect(length).toBeLessThan(0.1001);
});

import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

const { layers } = tfl;
const xs = tf.ones([2, 1]);
const ys = { a: tf.fill([2, 1], 2), b: tf.fill([2, 1], 4) };

/** Both outputs are 1, so that the errors are 1 and 9. */
function twoOutputs(): tfl.LayersModel {
  const input = tfl.input({ shape: [1] });
  const outputs = ['a', 'b'].map((name) =>
    layers.dense({ name, units: 1, kernelInitializer: 'ones' }).apply(input),
  ) as tfl.SymbolicTensor[];
  return tfl.model({ inputs: input, outputs });
}

test('stock tfjs gives the losses of several outputs the wrong names in validation', async () => {
  const model = twoOutputs();
  model.compile({ loss: 'meanSquaredError', optimizer: tf.train.sgd(0) });
  const results = model.evaluate(xs, [ys.a, ys.b]) as tf.Scalar[];
  // The total is 10, the first output's loss 1, the second's 9.
  expect(results.map((result) => result.dataSync()[0])).toEqual([1, 10, 1, 9]);
});

test('validation gives each output its own loss and metrics, under its own name, as training does', async () => {
  const trainer = quietTrainer({
    model: twoOutputs(),
    optimizer: { name: 'sgd', lr: 0 },
    metrics: ['meanSquaredError'],
  });
  const train = [{ xs, ys }];
  const { metrics } = await trainer.fit({ train, validation: train, epochs: 1 });
  for (const part of ['train', 'val']) {
    expect(metrics[`${part}/loss`]).toBeCloseTo(10, 5);
    for (const name of ['loss', 'meanSquaredError']) {
      expect(metrics[`${part}/a/${name}`]).toBeCloseTo(1, 5);
      expect(metrics[`${part}/b/${name}`]).toBeCloseTo(9, 5);
    }
  }
});

function regularized(): tfl.Sequential {
  const kernelRegularizer = tfl.regularizers.l2({ l2: 5 });
  return tfl.sequential({
    layers: [layers.dense({ units: 1, inputShape: [1], kernelInitializer: 'ones', kernelRegularizer })],
  });
}

test('stock tfjs leaves regularisation out of the validation loss, and has it in the training loss', async () => {
  const model = regularized();
  model.compile({ loss: 'meanSquaredError', optimizer: tf.train.sgd(0) });
  const { history } = await model.fit(xs, ys.a, { epochs: 1, validationData: [xs, ys.a], verbose: 0 });
  expect(history.loss![0]).toBeCloseTo(6, 5);
  expect(history.val_loss![0]).toBeCloseTo(1, 5);
});

test('regularisation is in the validation loss as in the training loss', async () => {
  const trainer = quietTrainer({ model: regularized(), optimizer: { name: 'sgd', lr: 0 } });
  const train = [{ xs, ys: ys.a }];
  const { metrics } = await trainer.fit({ train, validation: train, epochs: 1 });
  expect(metrics['train/loss']).toBeCloseTo(6, 5);
  expect(metrics['val/loss']).toBeCloseTo(6, 5);
});

import { recorder, regression, regressor, someOf, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import type * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import type { OptimizerOption } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const BATCH_SIZE = 8;
const EPOCHS = 10;
const data = regression(40); // 5 batches: 50 steps

/** A loop without Trainer, as one writes it with tfjs alone. */
function bareLoop(model: tfl.Sequential, apply: (gradients: tf.NamedTensorMap) => void): number[] {
  const variables = model.trainableWeights.map((weight) => weight.read() as tf.Variable);
  const losses: number[] = [];
  for (let step = 0; step < 50; step++) {
    const start = (step % 5) * BATCH_SIZE;
    tf.tidy(() => {
      const xs = tf.tensor2d(data.xs.slice(start, start + BATCH_SIZE));
      const ys = tf.tensor2d(data.ys.slice(start, start + BATCH_SIZE));
      const { value, grads } = tf.variableGrads(
        () => tf.losses.meanSquaredError(ys, model.apply(xs, { training: true }) as tf.Tensor),
        variables,
      );
      losses.push(value.dataSync()[0]!);
      apply(grads);
    });
  }
  return losses;
}

async function trainerLosses(optimizer: OptimizerOption): Promise<{ losses: number[]; weights: number[][] }> {
  const seen = recorder('recorder', ['onTrainBatchEnd']);
  const model = regressor();
  const trainer = quietTrainer({ model, optimizer, hooks: [seen] });
  await trainer.fit({ train: data, epochs: EPOCHS, batchSize: BATCH_SIZE, shuffle: false });
  return { losses: seen.events.map(({ payload }) => payload.loss), weights: weightsOf(model) };
}

function expectSame(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((value, i) => {
    expect(Math.abs(actual[i]! - value), `position ${i}`).toBeLessThan(1e-5);
  });
}

const cases: [string, OptimizerOption, () => tf.Optimizer][] = [
  ['sgd', { name: 'sgd', lr: 0.05 }, () => tf.train.sgd(0.05)],
  ['adam', { name: 'adam', lr: 0.01 }, () => tf.train.adam(0.01)],
  ['momentum of tfjs through the adapter', tf.train.momentum(0.02, 0.9), () => tf.train.momentum(0.02, 0.9)],
  ['adam of tfjs through the adapter', tf.train.adam(0.02), () => tf.train.adam(0.02)],
  ['rmsprop of tfjs through the adapter', tf.train.rmsprop(0.01), () => tf.train.rmsprop(0.01)],
];

test.each(someOf(cases, 3))(
  '50 steps of fit give the losses and weights of a bare loop: %s',
  async (_name, ours, theirs) => {
    const reference = regressor();
    const optimizer = theirs();
    const expected = bareLoop(reference, (gradients) => optimizer.applyGradients(gradients));
    const { losses, weights } = await trainerLosses(ours);
    expectSame(losses, expected);
    expectSame(weights.flat(), weightsOf(reference).flat());
    // The comparison says something only if training went somewhere.
    expect(losses.at(-1)!).toBeLessThan(losses[0]! * 0.7);
  },
);

test('50 steps of fit give the losses and weights of model.fit', async () => {
  const reference = regressor();
  reference.compile({ optimizer: tf.train.sgd(0.05), loss: 'meanSquaredError' });
  const [xs, ys] = [tf.tensor2d(data.xs), tf.tensor2d(data.ys)];
  const { history } = await reference.fit(xs, ys, {
    epochs: EPOCHS,
    batchSize: BATCH_SIZE,
    shuffle: false,
    verbose: 0,
  });
  const model = regressor();
  const trainer = quietTrainer({ model, optimizer: { name: 'sgd', lr: 0.05 } });
  const result = await trainer.fit({
    train: { xs, ys },
    epochs: EPOCHS,
    batchSize: BATCH_SIZE,
    shuffle: false,
  });
  expectSame(
    result.history.map((metrics) => metrics['train/loss']!),
    history.loss as number[],
  );
  expectSame(weightsOf(model).flat(), weightsOf(reference).flat());
});

test('two optimizers move their own parameters, each as if it were alone with them', async () => {
  const reference = regressor();
  const [sgd, adam] = [tf.train.sgd(0.05), tf.train.adam(0.01)];
  const names = reference.trainableWeights.map((weight) => (weight.read() as tf.Variable).name);
  const pick = (gradients: tf.NamedTensorMap, own: string[]) =>
    own.map((name) => ({ name, tensor: gradients[name]! }));
  const expected = bareLoop(reference, (gradients) => {
    sgd.applyGradients(pick(gradients, names.slice(0, 2)));
    adam.applyGradients(pick(gradients, names.slice(2)));
  });
  const { losses, weights } = await trainerLosses([
    { name: 'sgd', lr: 0.05, params: 'hidden/*' },
    { name: 'adam', lr: 0.01, params: ['out/kernel', 'out/bias'] },
  ]);
  expectSame(losses, expected);
  expectSame(weights.flat(), weightsOf(reference).flat());
});

import {
  classes,
  classifier,
  fixWeights,
  numbers,
  regression,
  regressor,
  weightsOf,
} from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import type { LossName, LossOption } from '../../../src/index.js';
import { quietTrainer } from '../../support/quiet-trainer.js';

/** The loss of the untrained model, as validate has it. */
async function lossOf(model: tfl.LayersModel, loss: LossOption, data: object): Promise<number> {
  const metrics = await quietTrainer({ model, loss }).validate({ data: data as never });
  return metrics['val/loss']!;
}

function outputsOf(model: tfl.LayersModel, xs: number[][]): number[][] {
  return tf.tidy(() => (model.predict(tf.tensor2d(xs)) as tf.Tensor2D).arraySync());
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const ERRORS: [LossName, (error: number) => number][] = [
  ['meanSquaredError', (error) => error ** 2],
  ['meanAbsoluteError', Math.abs],
  ['huber', (error) => (Math.abs(error) <= 1 ? 0.5 * error ** 2 : Math.abs(error) - 0.5)],
];

test.each(ERRORS)('%s is the mean over the samples of its formula', async (loss, formula) => {
  const model = regressor();
  const { xs, ys } = regression(20);
  const far = ys.map(([y]) => [y! * 3]); // some errors above 1
  const expected = mean(outputsOf(model, xs).map(([output], i) => formula(output! - far[i]![0]!)));
  expect(await lossOf(model, loss, { xs, ys: far })).toBeCloseTo(expected, 5);
});

test('binaryCrossentropy is the mean of the negative log likelihood', async () => {
  const model = fixWeights(
    tfl.sequential({ layers: [tfl.layers.dense({ units: 1, inputShape: [3], activation: 'sigmoid' })] }),
  );
  const { xs } = regression(12);
  const ys = xs.map(([a]) => [a! > 0 ? 1 : 0]);
  const expected = mean(
    outputsOf(model, xs).map(([p], i) => -(ys[i]![0] === 1 ? Math.log(p!) : Math.log(1 - p!))),
  );
  expect(await lossOf(model, 'binaryCrossentropy', { xs, ys })).toBeCloseTo(expected, 5);
});

test('class numbers and one-hot targets give the same loss, from probabilities and from logits', async () => {
  const { xs, labels, oneHot } = classes(20);
  const probabilities = classifier('softmax');
  const expected = mean(outputsOf(probabilities, xs).map((row, i) => -Math.log(row[labels[i]!]!)));
  const column = labels.map((label) => [label]);
  for (const [loss, ys] of [
    ['categoricalCrossentropy', oneHot],
    ['sparseCategoricalCrossentropy', labels],
    ['sparseCategoricalCrossentropy', column],
  ] as const) {
    expect(await lossOf(probabilities, loss, { xs, ys }), loss).toBeCloseTo(expected, 5);
  }
  // The same weights without the softmax layer: the same loss, computed from logits.
  for (const [loss, ys] of [
    ['softmaxCrossentropy', oneHot],
    ['sparseSoftmaxCrossentropy', labels],
    ['sparseSoftmaxCrossentropy', Int32Array.from(labels)],
  ] as const) {
    expect(await lossOf(classifier('linear'), loss, { xs, ys }), loss).toBeCloseTo(expected, 5);
  }
});

test('class numbers and one-hot targets train the same weights', async () => {
  const { xs, labels, oneHot } = classes(20);
  const train = async (loss: LossName, ys: unknown) => {
    const model = classifier();
    await quietTrainer({ model, loss }).fit({ train: { xs, ys } as never, epochs: 3, batchSize: 4 });
    return weightsOf(model);
  };
  expect(await train('sparseCategoricalCrossentropy', labels)).toEqual(
    await train('categoricalCrossentropy', oneHot),
  );
});

test('targets of shape [n] do for an output of shape [n, 1]', async () => {
  const { xs, ys } = regression(6);
  const flat = await lossOf(regressor(), 'meanSquaredError', { xs, ys: ys.flat() });
  expect(flat).toBe(await lossOf(regressor(), 'meanSquaredError', { xs, ys }));
});

test('a function is a loss too', async () => {
  const { xs, ys } = regression(6);
  const quartic = (targets: tf.Tensor, outputs: tf.Tensor) => tf.pow(tf.sub(outputs, targets), 4);
  const expected = mean(outputsOf(regressor(), xs).map(([output], i) => (output! - ys[i]![0]!) ** 4));
  expect(await lossOf(regressor(), quartic, { xs, ys })).toBeCloseTo(expected, 5);
  // tfjs's own losses take their arguments in the same order.
  expect(await lossOf(regressor(), tf.losses.absoluteDifference, { xs, ys })).toBeCloseTo(
    await lossOf(regressor(), 'meanAbsoluteError', { xs, ys }),
    6,
  );
});

test('sample weights scale the loss of each sample', async () => {
  const { xs, ys } = regression(8);
  const weights = numbers(8, 4).map(Math.abs);
  const expected = mean(
    outputsOf(regressor(), xs).map(([output], i) => weights[i]! * (output! - ys[i]![0]!) ** 2),
  );
  for (const given of [
    weights,
    Float32Array.from(weights),
    tf.tensor1d(weights),
    tf.tensor2d(weights, [8, 1]),
  ]) {
    expect(await lossOf(regressor(), 'meanSquaredError', { xs, ys, weights: given })).toBeCloseTo(
      expected,
      5,
    );
  }
});

test('sample weights of 2 train like twice the learning rate', async () => {
  const data = regression(16);
  const train = async (lr: number, weights?: number[]) => {
    const model = regressor();
    const trainer = quietTrainer({ model, optimizer: { name: 'sgd', lr } });
    await trainer.fit({ train: { ...data, ...(weights && { weights }) }, epochs: 3, batchSize: 5 });
    return weightsOf(model).flat();
  };
  const expected = await train(0.04);
  const weighted = await train(0.02, Array(16).fill(2));
  weighted.forEach((weight, i) => {
    expect(weight).toBeCloseTo(expected[i]!, 5);
  });
});

test('what the layers add for regularisation is part of the loss, in training and in validation', async () => {
  const make = (rate: number) => {
    const model = tfl.sequential({
      layers: [
        tfl.layers.dense({ units: 1, inputShape: [3], kernelRegularizer: tfl.regularizers.l2({ l2: rate }) }),
      ],
    });
    model.setWeights([tf.tensor2d([1, 2, 3], [3, 1]), tf.tensor1d([0])]);
    return model;
  };
  const data = regression(4);
  const plain = await lossOf(make(0), 'meanSquaredError', data);
  expect(await lossOf(make(0.5), 'meanSquaredError', data)).toBeCloseTo(plain + 0.5 * (1 + 4 + 9), 5);
  const trainer = quietTrainer({ model: make(0.5), optimizer: { name: 'sgd', lr: 0.1 } });
  const { history } = await trainer.fit({ train: data, epochs: 2 });
  expect(history[0]!['train/loss']).toBeCloseTo(plain + 7, 5);
  expect(history[1]!['train/loss']).toBeLessThan(plain + 7); // its gradient counts
});

test('constraints hold after every step', async () => {
  const model = tfl.sequential({
    layers: [
      tfl.layers.dense({
        name: 'hidden',
        units: 4,
        inputShape: [3],
        kernelConstraint: tfl.constraints.nonNeg(),
      }),
      tfl.layers.dense({
        name: 'out',
        units: 1,
        kernelConstraint: tfl.constraints.maxNorm({ maxValue: 0.2 }),
      }),
    ],
  });
  const smallest: number[] = [];
  const norms: number[] = [];
  const trainer = quietTrainer({
    model,
    optimizer: { name: 'sgd', lr: 0.3 },
    hooks: [
      {
        name: 'watch',
        onStepEnd: () => {
          const [hidden, , out] = weightsOf(model);
          smallest.push(Math.min(...hidden!));
          norms.push(Math.hypot(...out!));
        },
      },
    ],
  });
  await trainer.fit({ train: regression(32), epochs: 3, batchSize: 8 });
  expect(Math.min(...smallest)).toBe(0);
  expect(Math.max(...norms)).toBeLessThan(0.2001);
  expect(Math.max(...norms)).toBeGreaterThan(0.19); // it did push
});

import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { fixWeights, rows } from '../support/models.js';
import { dataLoss, expectTrueGradients, stockLoss } from './training-step.js';

const { layers } = tfl;
const dilated = { kernelSize: 2, dilationRate: 2, padding: 'same' } as const;

const cases: [string, () => tfl.layers.Layer, number[]][] = [
  ['conv1d', () => layers.conv1d({ ...dilated, filters: 2, inputShape: [5, 2] }), [1, 5, 2]],
  ['conv2d', () => layers.conv2d({ ...dilated, filters: 2, inputShape: [4, 4, 2] }), [1, 4, 4, 2]],
  [
    'conv2d with relu',
    () => layers.conv2d({ ...dilated, filters: 2, inputShape: [4, 4, 2], activation: 'relu' }),
    [1, 4, 4, 2],
  ],
  [
    'conv2d with tanh and two rates',
    () =>
      layers.conv2d({
        ...dilated,
        dilationRate: [1, 3],
        filters: 2,
        inputShape: [4, 4, 2],
        activation: 'tanh',
      }),
    [1, 4, 4, 2],
  ],
  [
    'depthwise',
    () => layers.depthwiseConv2d({ ...dilated, dilationRate: [2, 2], inputShape: [4, 4, 2] }),
    [1, 4, 4, 2],
  ],
  [
    'separable',
    () => layers.separableConv2d({ ...dilated, dilationRate: [2, 2], filters: 2, inputShape: [4, 4, 2] }),
    [1, 4, 4, 2],
  ],
  ['conv3d', () => layers.conv3d({ ...dilated, filters: 1, inputShape: [3, 3, 3, 1] }), [1, 3, 3, 3, 1]],
];

const size = (shape: readonly number[]) => shape.reduce((product, length) => product * length, 1);

function example(make: () => tfl.layers.Layer, shape: number[]) {
  const model = fixWeights(tfl.sequential({ layers: [make()] }));
  const ys = shape.slice();
  const random = (seed: number) => tf.tensor(rows(1, size(shape), seed).flat(), ys);
  return { model, batch: { xs: random(2), ys: random(3) } };
}

// Before the trainer registers its gradients.
test.each(cases)('stock tfjs cannot train a convolution with a dilation: %s', async (_name, make, shape) => {
  const { model, batch } = example(make, shape);
  await expect(stockLoss(model, batch)).rejects.toThrow('dilation rates');
});

test.each(cases)('a convolution with a dilation trains: %s', async (_name, make, shape) => {
  const { model, batch } = example(make, shape);
  const { loss, gradients } = await expectTrueGradients(model, batch);
  expect(loss).toBeCloseTo(dataLoss(model, batch), 5);
  expect(Object.keys(gradients)).toHaveLength(model.weights.length);
});

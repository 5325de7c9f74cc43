import { fixWeights, numbers, useStockGradients } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { registerGradients } from '../../src/index.js';
import { dataLoss, expectTrueGradients, stockLoss } from './training-step.js';

const { layers } = tfl;
const dilated = { kernelSize: 2, dilationRate: 2, padding: 'same' } as const;

/** A name, the shape of the batch and of what the layer makes of it, and the layer. */
const cases: [string, number[], (inputShape: number[]) => tfl.layers.Layer][] = [
  ['conv1d', [1, 5, 2], (inputShape) => layers.conv1d({ ...dilated, filters: 2, inputShape })],
  ['conv2d', [1, 4, 4, 2], (inputShape) => layers.conv2d({ ...dilated, filters: 2, inputShape })],
  [
    'conv2d with elu',
    [1, 4, 4, 2],
    (inputShape) => layers.conv2d({ ...dilated, filters: 2, inputShape, activation: 'elu' }),
  ],
  [
    'conv2d with tanh and two rates',
    [1, 4, 4, 2],
    (inputShape) =>
      layers.conv2d({ ...dilated, dilationRate: [1, 3], filters: 2, inputShape, activation: 'tanh' }),
  ],
  [
    'separableConv2d',
    [1, 4, 4, 2],
    (inputShape) => layers.separableConv2d({ ...dilated, dilationRate: [2, 2], filters: 2, inputShape }),
  ],
  ['conv3d', [1, 3, 3, 3, 1], (inputShape) => layers.conv3d({ ...dilated, filters: 1, inputShape })],
];

function example(shape: number[], make: (inputShape: number[]) => tfl.layers.Layer) {
  const model = fixWeights(tfl.sequential({ layers: [make(shape.slice(1))] }));
  const random = (seed: number) => tf.tensor(numbers(tf.util.sizeFromShape(shape), seed), shape);
  return { model, batch: { xs: random(2), ys: random(3) } };
}

test.each(cases)('stock tfjs cannot train a convolution with a dilation: %s', async (_name, shape, make) => {
  const { model, batch } = example(shape, make);
  useStockGradients();
  await expect(stockLoss(model, batch)).rejects.toThrow('dilation rates');
});

test.each(cases)('a convolution with a dilation trains: %s', async (_name, shape, make) => {
  const { model, batch } = example(shape, make);
  registerGradients();
  const { loss, gradients } = await expectTrueGradients(model, batch);
  expect(loss).toBeCloseTo(dataLoss(model, batch), 5);
  expect(Object.keys(gradients)).toHaveLength(model.weights.length);
});

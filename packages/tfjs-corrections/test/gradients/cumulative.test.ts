import * as tf from '@tensorflow/tfjs-core';
import { checkGradients, type GradientCase } from './gradient-check.js';

const ways = [0, 1, 2].flatMap((axis) =>
  [false, true].flatMap((exclusive) => [false, true].map((reverse) => ({ axis, exclusive, reverse }))),
);
const withZeros = tf.tensor3d([1.5, 0, 2, -1, 0, 0.5, 0, 3, -2, 1, 2, 0], [2, 3, 2]);

const sums = ways
  .filter(({ axis }) => axis !== 2) // stock is right on the last axis
  .map(
    ({ axis, exclusive, reverse }): GradientCase => ({
      name: `cumsum of a cube, axis ${axis}, exclusive ${exclusive}, reverse ${reverse}`,
      compute: (x) => tf.cumsum(x!, axis, exclusive, reverse),
      operands: [[3, 3, 3]],
      // Not even an error: the axes are of the same size.
      stock: 'wrong',
    }),
  );

const products = ways.map(
  ({ axis, exclusive, reverse }): GradientCase => ({
    name: `cumprod with zeros, axis ${axis}, exclusive ${exclusive}, reverse ${reverse}`,
    compute: (x) => tf.cumprod(x!, axis, exclusive, reverse),
    operands: [withZeros],
    stock: /gradient function not found for Cumprod/,
  }),
);

// With the methods that completeChainedOps adds to tensors, stock is right on other axes.
const axes = [-1, -2, [0, -1]];
const reduced = axes.flatMap((axis) =>
  [false, true].map(
    (keepDims): GradientCase => ({
      name: `prod with zeros over ${JSON.stringify(axis)}, keepDims ${keepDims}`,
      compute: (x) => tf.prod(x!, axis, keepDims),
      operands: [withZeros],
      stock: /must match length of perm/,
    }),
  ),
);

checkGradients('cumulative functions', [
  {
    name: 'cumsum of [2, 3] along its first axis',
    compute: (x) => tf.cumsum(x!, 0),
    operands: [[2, 3]],
    stock: /which does not match the shape of the input/,
  },
  ...sums,
  ...products,
  ...reduced,
]);

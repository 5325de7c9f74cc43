import * as tf from '@tensorflow/tfjs-core';
import { checkGradients, type GradientCase } from './gradient-check.js';

const pools: [number, number, number[]][] = [
  [2, 2, [1, 5, 5, 1]],
  [3, 1, [1, 4, 5, 2]],
];

checkGradients('images', [
  ...pools.map(
    ([size, stride, operand]): GradientCase => ({
      name: `avgPool with padding, window ${size}, stride ${stride}`,
      compute: (x) => tf.avgPool(x as tf.Tensor4D, size, stride, 'same'),
      operands: [operand],
      stock: 'wrong',
    }),
  ),
  {
    name: 'avgPool3d with padding',
    compute: (x) => tf.avgPool3d(x as tf.Tensor5D, 2, 2, 'same'),
    operands: [[1, 3, 4, 3, 1]],
    stock: 'wrong',
  },
  {
    name: 'resizeBilinear of an image that is not square',
    compute: (x) => tf.image.resizeBilinear(x as tf.Tensor4D, [4, 5]),
    operands: [[1, 2, 3, 2]],
    stock: /which does not match the shape of the input/,
    backends: ['cpu'], // right on wasm
  },
  {
    name: 'resizeNearestNeighbor of several images',
    compute: (x) => tf.image.resizeNearestNeighbor(x as tf.Tensor4D, [4, 5]),
    operands: [[3, 2, 3, 2]],
    stock: 'wrong',
    backends: ['cpu'], // right on wasm
  },
]);

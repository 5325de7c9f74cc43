import * as tf from '@tensorflow/tfjs-core';
import { checkGradients, type GradientCase } from './gradient-check.js';

const ties = tf.tensor2d([3, 3, 1, 1, 0, 2, 0, 2], [2, 4]);
const { max, min } = tf;

/** All elements are moved together, along which the slope is well defined. */
const moved = Object.entries({ max, min }).flatMap(([name, reduce]) =>
  [undefined, 1, -1].map(
    (axis): GradientCase => ({
      name: `${name} over ${axis} of elements that are equal`,
      compute: (change) => reduce(tf.add(ties, change!), axis),
      operands: [[]],
      stock: 'wrong',
    }),
  ),
);

checkGradients('corners', [
  ...moved,
  {
    name: 'abs at zero, whose slopes on both sides have the mean 0',
    compute: (x) => tf.abs(x!),
    operands: [tf.tensor1d([0, 1, -2])],
    stock: 'wrong',
  },
]);

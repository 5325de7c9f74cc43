import * as tf from '@tensorflow/tfjs-core';
import { checkGradients, type GradientCase } from './gradient-check.js';

const shapes: [number[], number[]][] = [
  [[2, 3], [3]],
  [[3], [2, 3]],
  [
    [2, 1],
    [2, 3],
  ],
  [[2, 3], []],
];
const stock = /which does not match the shape of the input/;

const { maximum, minimum, squaredDifference } = tf;
const cases = Object.entries({ maximum, minimum, squaredDifference }).flatMap(([name, compute]) =>
  shapes.map(
    (operands): GradientCase => ({
      name: `${name} of ${JSON.stringify(operands)}`,
      compute: (a, b) => compute(a!, b!),
      operands,
      stock,
    }),
  ),
);

checkGradients('broadcasting', [
  ...cases,
  {
    name: 'prelu of [3] and [2, 3]',
    compute: (x, alpha) => tf.prelu(x!, alpha!),
    operands: [[3], [2, 3]],
    stock,
    backends: ['cpu'], // wasm does not broadcast x
  },
  {
    name: 'matMul of [2, 2, 3] and [3, 2]',
    compute: (a, b) => tf.matMul(a!, b!),
    operands: [
      [2, 2, 3],
      [3, 2],
    ],
    stock,
  },
  {
    name: 'matMul of [2, 3] and [2, 2, 3], the second transposed',
    compute: (a, b) => tf.matMul(a!, b!, false, true),
    operands: [
      [2, 3],
      [2, 2, 3],
    ],
    stock,
  },
  {
    name: 'matMul of [3, 2] and [2, 3, 2], the first transposed',
    compute: (a, b) => tf.matMul(a!, b!, true, false),
    operands: [
      [3, 2],
      [2, 3, 2],
    ],
    stock,
  },
  {
    name: 'matMul of [1, 3, 2] and [2, 2, 3], both transposed',
    compute: (a, b) => tf.matMul(a!, b!, true, true),
    operands: [
      [1, 3, 2],
      [2, 2, 3],
    ],
    stock,
  },
]);

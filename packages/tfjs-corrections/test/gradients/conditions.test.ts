import * as tf from '@tensorflow/tfjs-core';
import { checkGradients, type GradientCase } from './gradient-check.js';

const missing = (kernel: string) => new RegExp(`gradient function not found for ${kernel}`);
const chosen = (condition: tf.Tensor, x: tf.Tensor) => tf.where(condition, tf.mul(x, 3), tf.square(x));

const { greater, less, lessEqual, equal, notEqual } = tf;
const comparisons = Object.entries({ greater, less, lessEqual, equal, notEqual }).map(
  ([name, compare]): GradientCase => ({
    name: `where(${name}(x, 0.2), ...)`,
    compute: (x) => chosen(compare(x!, 0.2), x!),
    operands: [[2, 3]],
    stock: missing(name[0]!.toUpperCase() + name.slice(1)),
  }),
);

const scores = tf.tensor2d([3, 1, 2, 0, 5, 4], [2, 3]);

checkGradients('conditions', [
  ...comparisons,
  {
    name: 'where(greaterEqual) of integers',
    compute: (x) => chosen(tf.greaterEqual(tf.reshape(tf.argMax(x!, 1), [2, 1]), tf.scalar(1, 'int32')), x!),
    operands: [scores],
    stock: /must have 'float32' dtype/,
  },
  {
    name: 'and, or, not',
    compute: (x) => {
      const inside = tf.logicalAnd(tf.greater(x!, -0.4), tf.logicalNot(tf.less(0.6, x!)));
      return chosen(tf.logicalOr(inside, tf.greater(x!, 1.2)), x!);
    },
    operands: [[2, 3]],
    stock: missing('LogicalOr'),
  },
  {
    name: 'any and all',
    compute: (x) => {
      const positive = tf.greater(x!, 0);
      return tf.add(chosen(tf.any(positive, 1, true), x!), chosen(tf.all(positive, 1, true), x!));
    },
    operands: [[2, 3]],
    stock: missing('(All|Any)'),
  },
  {
    name: 'a condition that is broadcast',
    compute: (x) => chosen(tf.greater(tf.sum(x!, 1, true), 0), x!),
    operands: [[2, 3]],
    stock: missing('Greater'),
  },
  {
    name: 'a mask: x * (x > 0)',
    compute: (x) => tf.mul(x!, tf.cast(tf.greater(x!, 0), 'float32')),
    operands: [[2, 3]],
    stock: missing('Greater'),
  },
  {
    name: 'divNoNan',
    compute: (a, b) => tf.divNoNan(a!, tf.add(b!, 3)),
    operands: [
      [2, 3],
      [2, 3],
    ],
    stock: missing('Equal'),
  },
  {
    name: 'floorDiv',
    compute: (a, b) => tf.mul(tf.floorDiv(a!, b!), a!),
    operands: [tf.tensor1d([5.5, -2.3]), tf.tensor1d([2.1, 3.4])],
    stock: 'wrong',
  },
  {
    name: 'a cast to integers and back',
    compute: (x) => tf.mul(tf.cast(tf.cast(x!, 'int32'), 'float32'), x!),
    operands: [tf.tensor1d([1.5, -2.4, 3.6])],
    stock: 'wrong',
  },
  {
    name: 'a drawn class',
    // Drawn with the same seed every time.
    compute: (x) => tf.add(x!, tf.cast(tf.multinomial(x as tf.Tensor2D, 3, 7, false), 'float32')),
    operands: [scores],
    stock: missing('Multinomial'),
  },
]);

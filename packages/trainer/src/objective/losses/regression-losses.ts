import * as tf from '@tensorflow/tfjs-core';
import type { LossFunction } from './loss-function.js';
import { assertSameShape } from './target-shapes.js';

/** Keeps quotients and logarithms finite, as in Keras. */
const EPSILON = 1e-7;

function difference(targets: tf.Tensor, outputs: tf.Tensor): tf.Tensor {
  assertSameShape(targets, outputs);
  return tf.sub(outputs, targets);
}

/** Losses between numbers: targets have the shape of the outputs. */
export const REGRESSION_LOSSES: Record<RegressionLossName, LossFunction> = {
  meanSquaredError: (targets, outputs) => tf.square(difference(targets, outputs)),

  meanAbsoluteError: (targets, outputs) => tf.abs(difference(targets, outputs)),

  meanAbsolutePercentageError: (targets, outputs) => {
    const scale = tf.clipByValue(tf.abs(targets), EPSILON, Number.MAX_VALUE);
    return tf.mul(tf.abs(tf.div(difference(targets, outputs), scale)), 100);
  },

  meanSquaredLogarithmicError: (targets, outputs) => {
    assertSameShape(targets, outputs);
    const log = (values: tf.Tensor) => tf.log(tf.add(tf.clipByValue(values, EPSILON, Number.MAX_VALUE), 1));
    return tf.square(tf.sub(log(outputs), log(targets)));
  },

  huber: (targets, outputs) => {
    const error = tf.abs(difference(targets, outputs));
    // Quadratic up to 1, linear beyond; written with clipping, whose gradient every backend has.
    const near = tf.clipByValue(error, 0, 1);
    return tf.add(tf.mul(tf.square(near), 0.5), tf.sub(error, near));
  },

  logcosh: (targets, outputs) => {
    const error = difference(targets, outputs);
    // log(cosh(x)) without overflow: x + softplus(-2x) - log(2).
    return tf.sub(tf.add(error, tf.softplus(tf.mul(error, -2))), Math.LN2);
  },

  poisson: (targets, outputs) => {
    assertSameShape(targets, outputs);
    return tf.sub(outputs, tf.mul(targets, tf.log(tf.add(outputs, EPSILON))));
  },

  /** -1 for the same direction, 1 for the opposite one. */
  cosineProximity: (targets, outputs) => {
    assertSameShape(targets, outputs);
    return tf.neg(tf.sum(tf.mul(unit(targets), unit(outputs)), -1));
  },
};

export type RegressionLossName =
  | 'meanSquaredError'
  | 'meanAbsoluteError'
  | 'meanAbsolutePercentageError'
  | 'meanSquaredLogarithmicError'
  | 'huber'
  | 'logcosh'
  | 'poisson'
  | 'cosineProximity';

function unit(values: tf.Tensor): tf.Tensor {
  const norm = tf.sqrt(tf.add(tf.sum(tf.square(values), -1, true), EPSILON ** 2));
  return tf.div(values, norm);
}

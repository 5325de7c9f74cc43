import * as tf from '@tensorflow/tfjs-core';
import type { LossFunction } from './loss-function.js';
import { assertSameShape, oneHot } from './target-shapes.js';

/** Keeps logarithms finite, as in Keras. */
const EPSILON = 1e-7;

/** Losses between classes: targets are one-hot rows or probabilities, for the sparse ones class numbers. */
export const CLASS_LOSSES: Record<ClassLossName, LossFunction> = {
  /** Outputs are probabilities (sigmoid). */
  binaryCrossentropy: (targets, outputs) => {
    assertSameShape(targets, outputs);
    const p = tf.clipByValue(outputs, EPSILON, 1 - EPSILON);
    const hit = tf.mul(targets, tf.log(p));
    const miss = tf.mul(tf.sub(1, targets), tf.log(tf.sub(1, p)));
    return tf.neg(tf.add(hit, miss));
  },

  /** Outputs are logits: steadier than a sigmoid layer with `binaryCrossentropy`. */
  sigmoidCrossentropy: (targets, outputs) => {
    assertSameShape(targets, outputs);
    return tf.sub(tf.softplus(outputs), tf.mul(targets, outputs));
  },

  /** Outputs are probabilities (softmax). */
  categoricalCrossentropy: (targets, outputs) => {
    assertSameShape(targets, outputs);
    return tf.neg(tf.sum(tf.mul(targets, tf.log(tf.clipByValue(outputs, EPSILON, 1 - EPSILON))), -1));
  },

  /** Outputs are probabilities (softmax), targets class numbers. */
  sparseCategoricalCrossentropy: (targets, outputs) =>
    CLASS_LOSSES.categoricalCrossentropy(oneHot(targets, outputs), outputs),

  /** Outputs are logits: steadier than a softmax layer with `categoricalCrossentropy`. */
  softmaxCrossentropy: (targets, outputs) => {
    assertSameShape(targets, outputs);
    return tf.neg(tf.sum(tf.mul(targets, tf.logSoftmax(outputs)), -1));
  },

  /** Outputs are logits, targets class numbers. */
  sparseSoftmaxCrossentropy: (targets, outputs) =>
    CLASS_LOSSES.softmaxCrossentropy(oneHot(targets, outputs), outputs),

  kullbackLeiblerDivergence: (targets, outputs) => {
    assertSameShape(targets, outputs);
    const [p, q] = [targets, outputs].map((values) => tf.clipByValue(values, EPSILON, 1)) as [
      tf.Tensor,
      tf.Tensor,
    ];
    return tf.sum(tf.mul(targets, tf.sub(tf.log(p), tf.log(q))), -1);
  },

  /** Targets are -1 or 1. */
  hinge: (targets, outputs) => {
    assertSameShape(targets, outputs);
    return tf.relu(tf.sub(1, tf.mul(targets, outputs)));
  },

  /** Targets are -1 or 1. */
  squaredHinge: (targets, outputs) => tf.square(CLASS_LOSSES.hinge(targets, outputs)),

  /** Targets are one-hot; the gap to the best wrong class counts. */
  categoricalHinge: (targets, outputs) => {
    assertSameShape(targets, outputs);
    const right = tf.sum(tf.mul(targets, outputs), -1);
    const wrong = tf.max(tf.mul(tf.sub(1, targets), outputs), -1);
    return tf.relu(tf.add(tf.sub(wrong, right), 1));
  },
};

export type ClassLossName =
  | 'binaryCrossentropy'
  | 'sigmoidCrossentropy'
  | 'categoricalCrossentropy'
  | 'sparseCategoricalCrossentropy'
  | 'softmaxCrossentropy'
  | 'sparseSoftmaxCrossentropy'
  | 'kullbackLeiblerDivergence'
  | 'hinge'
  | 'squaredHinge'
  | 'categoricalHinge';

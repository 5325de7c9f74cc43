import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';

/** Losses whose first dimension is the batch: one for each sample, or several, of which the mean is taken. */
export type LossFunction = (targets: tf.Tensor, outputs: tf.Tensor) => tf.Tensor;

/** Keeps logarithms finite, as in Keras. */
const EPSILON = 1e-7;

/** Guards element by element losses: shapes that differ would broadcast to a wrong loss without a word. */
function difference(targets: tf.Tensor, outputs: tf.Tensor): tf.Tensor {
  assertSameShape(targets, outputs);
  return tf.sub(outputs, targets);
}

/** Losses by name. Targets have the shape of the outputs; sparse ones are class numbers. */
export const LOSSES: Record<LossName, LossFunction> = {
  meanSquaredError: (targets, outputs) => tf.square(difference(targets, outputs)),

  meanAbsoluteError: (targets, outputs) => tf.abs(difference(targets, outputs)),

  huber: (targets, outputs) => {
    const error = tf.abs(difference(targets, outputs));
    // Quadratic up to 1, linear beyond; written with clipping, whose gradient every backend has.
    const near = tf.clipByValue(error, 0, 1);
    return tf.add(tf.mul(tf.square(near), 0.5), tf.sub(error, near));
  },

  /** Outputs are probabilities (sigmoid). */
  binaryCrossentropy: (targets, outputs) => {
    assertSameShape(targets, outputs);
    const p = tf.clipByValue(outputs, EPSILON, 1 - EPSILON);
    const hit = tf.mul(targets, tf.log(p));
    const miss = tf.mul(tf.sub(1, targets), tf.log(tf.sub(1, p)));
    return tf.neg(tf.add(hit, miss));
  },

  /** Outputs are probabilities (softmax), targets one-hot. */
  categoricalCrossentropy: (targets, outputs) => {
    assertSameShape(targets, outputs);
    return tf.neg(tf.sum(tf.mul(targets, tf.log(tf.clipByValue(outputs, EPSILON, 1 - EPSILON))), -1));
  },

  /** Outputs are probabilities (softmax), targets class numbers. */
  sparseCategoricalCrossentropy: (targets, outputs) =>
    LOSSES.categoricalCrossentropy(oneHot(targets, outputs), outputs),

  /** Outputs are logits, targets one-hot: steadier than a softmax layer with `categoricalCrossentropy`. */
  softmaxCrossentropy: (targets, outputs) => {
    assertSameShape(targets, outputs);
    return tf.neg(tf.sum(tf.mul(targets, tf.logSoftmax(outputs)), -1));
  },

  /** Outputs are logits, targets class numbers. */
  sparseSoftmaxCrossentropy: (targets, outputs) =>
    LOSSES.softmaxCrossentropy(oneHot(targets, outputs), outputs),
};

export type LossName =
  | 'meanSquaredError'
  | 'meanAbsoluteError'
  | 'huber'
  | 'binaryCrossentropy'
  | 'categoricalCrossentropy'
  | 'sparseCategoricalCrossentropy'
  | 'softmaxCrossentropy'
  | 'sparseSoftmaxCrossentropy';

/** Class numbers, with or without a last dimension of 1, as rows of zeros and a one. */
export function oneHot(classes: tf.Tensor, outputs: tf.Tensor): tf.Tensor {
  const expected = outputs.shape.slice(0, -1);
  const given =
    classes.rank === outputs.rank && classes.shape.at(-1) === 1 ? classes.shape.slice(0, -1) : classes.shape;
  if (String(given) !== String(expected)) {
    throw trainerError(
      'BAD_BATCH',
      `The targets (ys) have shape [${classes.shape}], but class numbers for an output of shape [${outputs.shape}] have shape [${expected}]. ` +
        'For one-hot targets use the loss without "sparse".',
    );
  }
  const labels = tf.reshape(classes, expected);
  return tf.cast(tf.oneHot(tf.cast(labels, 'int32'), outputs.shape.at(-1)!), 'float32');
}

function assertSameShape(targets: tf.Tensor, outputs: tf.Tensor): void {
  if (String(targets.shape) === String(outputs.shape)) return;
  throw trainerError(
    'BAD_BATCH',
    `The targets (ys) have shape [${targets.shape}], but the model's output has shape [${outputs.shape}]. ` +
      'Reshape the targets, change the last layer, or use a sparse loss for class numbers.',
  );
}

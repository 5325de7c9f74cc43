import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';

/** Guards element by element losses: shapes that differ would broadcast to a wrong loss without a word. */
export function assertSameShape(targets: tf.Tensor, outputs: tf.Tensor): void {
  if (String(targets.shape) === String(outputs.shape)) return;
  throw trainerError(
    'BAD_BATCH',
    `The targets (ys) have shape [${targets.shape}], but the model's output has shape [${outputs.shape}]. ` +
      'Reshape the targets, change the last layer, or use a sparse loss for class numbers.',
  );
}

/** Class numbers, with or without a last dimension of 1, as rows of zeros and a one. */
export function oneHot(classes: tf.Tensor, outputs: tf.Tensor): tf.Tensor {
  return tf.cast(tf.oneHot(classNumbers(classes, outputs), outputs.shape.at(-1)!), 'float32');
}

/** One integer for each choice of the outputs. */
export function classNumbers(classes: tf.Tensor, outputs: tf.Tensor): tf.Tensor {
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
  return tf.cast(tf.reshape(classes, expected), 'int32');
}

/** Whether targets are class numbers for these outputs, rather than one-hot rows. */
export function isSparse(targets: tf.Tensor, outputs: tf.Tensor): boolean {
  return outputs.shape.at(-1) !== 1 && (targets.rank < outputs.rank || targets.shape.at(-1) === 1);
}

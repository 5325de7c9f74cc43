import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';

/**
 * The mean of the losses of a batch. Weights scale each sample's loss; the divisor stays the number of losses, as in
 * Keras. Those by class have the shape of the losses, or one for each sample.
 */
export function meanOver(
  losses: tf.Tensor,
  sampleWeights: tf.Tensor | undefined,
  classWeights: tf.Tensor | undefined,
): tf.Scalar {
  const weights = [sampleWeights, classWeights].filter((each) => each !== undefined);
  if (weights.length === 0) return tf.mean(losses);
  const [count] = losses.shape;
  if (count === undefined) {
    throw trainerError(
      'BAD_LOSS',
      'The batch has sample weights, but the loss gives one number for all samples. Return one for each.',
    );
  }
  if (sampleWeights && sampleWeights.size !== count) {
    throw trainerError(
      'BAD_BATCH',
      `The sample weights have shape [${sampleWeights.shape}], but the batch has ${count} samples: give one for each.`,
    );
  }
  return tf.mean(weights.reduce((product, each) => tf.mul(product, toShapeOf(product, each)), losses));
}

/** As many weights as losses, or as many as samples. */
function toShapeOf(losses: tf.Tensor, weights: tf.Tensor): tf.Tensor {
  if (weights.size === losses.size) return tf.reshape(weights, losses.shape);
  return tf.reshape(weights, [losses.shape[0]!, ...losses.shape.slice(1).map(() => 1)]);
}

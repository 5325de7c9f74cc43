import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';
import { alignWeights } from './align-weights.js';

/** What makes some losses of a batch count more than others. */
export interface LossFactors {
  /** Of samples or of their steps. */
  weights?: tf.Tensor | undefined;
  classWeights?: tf.Tensor | undefined;
  /** 1 where a loss counts, 0 where it does not. */
  counted?: tf.Tensor | undefined;
}

/**
 * The mean of the losses of a batch. Weights scale each loss, and the divisor stays the number of losses, as in Keras:
 * of those that are not masked.
 */
export function meanOver(losses: tf.Tensor, { weights, classWeights, counted }: LossFactors): tf.Scalar {
  const factors = [
    weights && fitted(losses, weights, 'The sample weights have'),
    classWeights && byClass(losses, classWeights),
  ];
  const weighted = factors.reduce<tf.Tensor>(
    (product, each) => (each ? tf.mul(product, each) : product),
    losses,
  );
  if (!counted) return tf.mean(weighted);
  const mask = fitted(losses, counted, 'The mask of the output has');
  // With nothing to count the loss is 0, not 0 / 0.
  const count = tf.mul(tf.maximum(tf.sum(mask), 1), losses.size / mask.size);
  return tf.div(tf.sum(tf.mul(weighted, mask)), count);
}

function fitted(losses: tf.Tensor, weights: tf.Tensor, what: string): tf.Tensor {
  if (losses.rank === 0) {
    throw trainerError(
      'BAD_LOSS',
      `${what} shape [${weights.shape}], but the loss gives one number for all samples. Return one for each, or one for each step.`,
    );
  }
  const fits = alignWeights(weights, losses);
  if (fits) return fits;
  throw trainerError(
    'BAD_BATCH',
    `${what} shape [${weights.shape}], but the losses of ${losses.shape[0]} samples have shape [${losses.shape}]: give one for each sample, or for each step.`,
  );
}

/** As many as losses, or one for each sample. */
function byClass(losses: tf.Tensor, weights: tf.Tensor): tf.Tensor {
  return weights.size === losses.size
    ? tf.reshape(weights, losses.shape)
    : (alignWeights(weights, losses) ?? weights);
}

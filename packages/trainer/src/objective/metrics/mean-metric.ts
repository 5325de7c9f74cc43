import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';
import { alignWeights } from '../losses/align-weights.js';
import type { CountedSums, Metric, MetricContext, MetricFunction } from './metric.js';

/** What `meanMetric` makes. */
export interface MeanMetric extends Metric {
  update(targets: tf.Tensor, outputs: tf.Tensor, context: MetricContext): CountedSums;
}

/**
 * A metric that is the mean of a number per sample, or of several, such as one for each step; `finish` maps the mean, as a
 * root does.
 */
export function meanMetric(
  name: string,
  perSample: MetricFunction,
  finish: (mean: number) => number = (mean) => mean,
): MeanMetric {
  return {
    name,
    update: (targets, outputs, context) => {
      const values = perSample(targets, outputs, context);
      if (values.rank === 0) {
        throw trainerError(
          'BAD_METRIC',
          `Metric "${name}" returned one number for the whole batch. Return one for each sample: their mean is taken over all batches.`,
        );
      }
      const { weights } = context;
      return weights ? weightedSum(values, weights, name) : { sums: tf.sum(values), count: values.size };
    },
    // Nothing counted: all of it was masked. As in Keras, that is 0.
    result: (sums, count) => finish(count === 0 ? 0 : sums[0]! / count),
  };
}

function weightedSum(values: tf.Tensor, weights: tf.Tensor, name: string): CountedSums {
  const each = alignWeights(perSampleWhere(values.rank, weights), values);
  if (!each) {
    throw trainerError(
      'BAD_METRIC',
      `Metric "${name}" returned the shape [${values.shape}], but what counts is given by weights of shape [${weights.shape}]. Return a number for each sample, or for each step.`,
    );
  }
  const repeats = values.size / each.size;
  const total = tf.sum<tf.Scalar>(each);
  return { sums: tf.sum(tf.mul(values, each)), count: repeats === 1 ? total : tf.mul(total, repeats) };
}

/** For values of whole samples, a sample counts as much as the step of it that counts most. */
function perSampleWhere(rank: number, weights: tf.Tensor): tf.Tensor {
  if (weights.rank <= rank) return weights;
  return tf.max(
    weights,
    Array.from({ length: weights.rank - rank }, (_, index) => rank + index),
  );
}

import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';
import type { Metric } from './metric.js';

/** A metric that is the mean of a number per sample; `finish` maps the mean, as a root does. */
export function meanMetric(
  name: string,
  perSample: (targets: tf.Tensor, outputs: tf.Tensor) => tf.Tensor,
  finish: (mean: number) => number = (mean) => mean,
): Metric {
  return {
    name,
    update: (targets, outputs) => {
      const values = perSample(targets, outputs);
      if (values.rank === 0) {
        throw trainerError(
          'BAD_METRIC',
          `Metric "${name}" returned one number for the whole batch. Return one for each sample: their mean is taken over all batches.`,
        );
      }
      const rows = values.rank > 1 ? tf.mean(tf.reshape(values, [values.shape[0]!, -1]), 1) : values;
      return tf.sum(rows);
    },
    result: (sums, samples) => finish(sums[0]! / samples),
  };
}

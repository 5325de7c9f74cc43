import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import { LOSSES, oneHot } from '../losses/losses.js';

/**
 * A metric that is right over batches of unequal size: sums that are added up on the device, and how to read the
 * metric off them.
 */
export interface Metric {
  readonly name: string;
  /** Sums over the samples of a batch; any shape, the same for every batch. */
  update(targets: tf.Tensor, outputs: tf.Tensor): tf.Tensor;
  result(sums: readonly number[], samples: number): number;
}

/** A metric that is the mean of a number per sample. */
export function meanMetric(
  name: string,
  perSample: (targets: tf.Tensor, outputs: tf.Tensor) => tf.Tensor,
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
    result: (sums, samples) => sums[0]! / samples,
  };
}

/** Metrics by name. */
export const METRICS: Record<MetricName, Metric> = {
  accuracy: meanMetric('accuracy', hits),
  meanSquaredError: meanMetric('meanSquaredError', LOSSES.meanSquaredError),
  meanAbsoluteError: meanMetric('meanAbsoluteError', LOSSES.meanAbsoluteError),
};

export type MetricName = 'accuracy' | 'meanSquaredError' | 'meanAbsoluteError';

/** 1 where the prediction is right: by class for several outputs (one-hot or class numbers), else by 0.5. */
function hits(targets: tf.Tensor, outputs: tf.Tensor): tf.Tensor {
  if (outputs.shape.at(-1)! > 1 && outputs.rank > 1) {
    const sparse = targets.rank < outputs.rank || targets.shape.at(-1) === 1;
    const truth = sparse ? oneHot(targets, outputs) : targets;
    return tf.cast(tf.equal(tf.argMax(outputs, -1), tf.argMax(truth, -1)), 'float32');
  }
  const predicted = tf.cast(tf.greater(outputs, 0.5), 'float32');
  return tf.cast(tf.equal(predicted, tf.reshape(tf.cast(targets, 'float32'), outputs.shape)), 'float32');
}

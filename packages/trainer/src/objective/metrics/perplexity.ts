import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';
import { LOSSES, type LossName } from '../losses/losses.js';
import { isSparse } from '../losses/target-shapes.js';
import { meanMetric } from './mean-metric.js';
import type { Metric, OutputMeaning } from './metric.js';

/** How far probabilities may be outside of 0 to 1 by rounding. */
const ROUNDING = 1e-3;

/** The exponential of the mean cross-entropy. */
export function perplexity(): Metric {
  const entropy = meanMetric(
    'perplexity',
    (targets, outputs, context) => LOSSES[entropyOf(targets, outputs, context)](targets, outputs),
    Math.exp,
  );
  return {
    ...entropy,
    refuses: ({ outputs }) =>
      outputs === 'scores' || outputs === 'numbers'
        ? `it needs probabilities or logits, and the outputs are ${outputs}. Leave it out, or train with a cross-entropy.`
        : undefined,
    update: (targets, outputs, context) => {
      const { sums, count } = entropy.update(targets, outputs, context);
      // With a loss of the user's own, the outputs themselves have to show that they are probabilities.
      return context.outputs ? { sums, count } : { sums: tf.stack([sums, outside(outputs)]), count };
    },
    result: ([sum, isOutside = 0], count) => {
      if (isOutside === 0) return entropy.result([sum!], count);
      throw trainerError(
        'BAD_METRIC',
        'Metric "perplexity" takes the outputs for probabilities, as your own loss does not say what they are, but some are below 0 or above 1. For logits, use the loss "sparseSoftmaxCrossentropy" or a similar one, or meanMetric(\'perplexity\', yourEntropy, Math.exp).',
      );
    },
  };
}

/** 1 where an output is not a probability. */
function outside(outputs: tf.Tensor): tf.Tensor {
  const isOutside = tf.greater(tf.abs(tf.sub(outputs, 0.5)), 0.5 + ROUNDING);
  return tf.max(tf.cast(isOutside, 'float32'));
}

/** The cross-entropy between such targets and outputs. */
function entropyOf(targets: tf.Tensor, outputs: tf.Tensor, { logits, multiLabel }: OutputMeaning): LossName {
  const sparse = isSparse(targets, outputs);
  if (logits === 'softmax') return sparse ? 'sparseSoftmaxCrossentropy' : 'softmaxCrossentropy';
  if (multiLabel || outputs.shape.at(-1) === 1) return logits ? 'sigmoidCrossentropy' : 'binaryCrossentropy';
  return sparse ? 'sparseCategoricalCrossentropy' : 'categoricalCrossentropy';
}

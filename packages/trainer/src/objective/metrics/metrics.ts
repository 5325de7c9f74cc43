import type * as tf from '@tensorflow/tfjs-core';
import { LOSSES, type LossName } from '../losses/losses.js';
import { isSparse } from '../losses/target-shapes.js';
import { accuracy, auc, f1, precision, recall, topKAccuracy } from './class-metrics.js';
import { meanMetric } from './mean-metric.js';
import type { Metric, MetricFunction, OutputMeaning } from './metric.js';

/** Metrics by name. */
export const METRICS: Record<MetricName, () => Metric> = {
  accuracy,
  topKAccuracy: () => topKAccuracy(),
  precision,
  recall,
  f1,
  auc: () => auc(),
  meanSquaredError: () => meanMetric('meanSquaredError', errorOf('meanSquaredError')),
  rootMeanSquaredError: () => meanMetric('rootMeanSquaredError', errorOf('meanSquaredError'), Math.sqrt),
  meanAbsoluteError: () => meanMetric('meanAbsoluteError', errorOf('meanAbsoluteError')),
  perplexity: () =>
    meanMetric(
      'perplexity',
      (targets, outputs, context) => LOSSES[entropyOf(targets, outputs, context)](targets, outputs),
      Math.exp,
    ),
};

export type MetricName =
  | 'accuracy'
  | 'topKAccuracy'
  | 'precision'
  | 'recall'
  | 'f1'
  | 'auc'
  | 'meanSquaredError'
  | 'rootMeanSquaredError'
  | 'meanAbsoluteError'
  | 'perplexity';

/** The targets of logits are probabilities: so are the outputs that they are compared with. */
function errorOf(loss: 'meanSquaredError' | 'meanAbsoluteError'): MetricFunction {
  return (targets, outputs, { logits, probabilities }) =>
    LOSSES[loss](targets, logits ? probabilities() : outputs);
}

/** The cross-entropy between such targets and outputs. */
function entropyOf(targets: tf.Tensor, outputs: tf.Tensor, { logits, multiLabel }: OutputMeaning): LossName {
  if (multiLabel || outputs.shape.at(-1) === 1) {
    return logits === 'sigmoid' ? 'sigmoidCrossentropy' : 'binaryCrossentropy';
  }
  const sparse = isSparse(targets, outputs);
  if (logits === 'softmax') return sparse ? 'sparseSoftmaxCrossentropy' : 'softmaxCrossentropy';
  return sparse ? 'sparseCategoricalCrossentropy' : 'categoricalCrossentropy';
}

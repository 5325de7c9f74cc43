import { LOSSES } from '../losses/losses.js';
import { auc } from './auc.js';
import { accuracy, f1, precision, recall, topKAccuracy } from './class-metrics.js';
import { meanMetric } from './mean-metric.js';
import type { Metric } from './metric.js';
import { perplexity } from './perplexity.js';

/** Metrics by name. */
export const METRICS: Record<MetricName, () => Metric> = {
  accuracy,
  topKAccuracy: () => topKAccuracy(),
  precision,
  recall,
  f1,
  auc: () => auc(),
  meanSquaredError: () => errorMetric('meanSquaredError', 'meanSquaredError'),
  rootMeanSquaredError: () => errorMetric('rootMeanSquaredError', 'meanSquaredError', Math.sqrt),
  meanAbsoluteError: () => errorMetric('meanAbsoluteError', 'meanAbsoluteError'),
  perplexity,
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
function errorMetric(
  name: MetricName,
  loss: 'meanSquaredError' | 'meanAbsoluteError',
  finish?: (mean: number) => number,
): Metric {
  return {
    ...meanMetric(
      name,
      (targets, outputs, { logits, probabilities }) =>
        LOSSES[loss](targets, logits ? probabilities() : outputs),
      finish,
    ),
    refuses: ({ sparse }) =>
      sparse
        ? 'it compares numbers, and the targets are class numbers. Use accuracy, or one-hot targets with the loss without "sparse".'
        : undefined,
  };
}

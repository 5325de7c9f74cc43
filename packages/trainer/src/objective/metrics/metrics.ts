import { LOSSES } from '../losses/losses.js';
import { isSparse } from '../losses/target-shapes.js';
import { accuracy, auc, f1, precision, recall, topKAccuracy } from './class-metrics.js';
import { meanMetric } from './mean-metric.js';
import type { Metric } from './metric.js';

/** Metrics by name. */
export const METRICS: Record<MetricName, () => Metric> = {
  accuracy,
  topKAccuracy: () => topKAccuracy(),
  precision,
  recall,
  f1,
  auc: () => auc(),
  meanSquaredError: () => meanMetric('meanSquaredError', LOSSES.meanSquaredError),
  rootMeanSquaredError: () => meanMetric('rootMeanSquaredError', LOSSES.meanSquaredError, Math.sqrt),
  meanAbsoluteError: () => meanMetric('meanAbsoluteError', LOSSES.meanAbsoluteError),
  /** Outputs are probabilities. */
  perplexity: () =>
    meanMetric(
      'perplexity',
      (targets, outputs) => {
        const loss = isSparse(targets, outputs) ? 'sparseCategoricalCrossentropy' : 'categoricalCrossentropy';
        return LOSSES[loss](targets, outputs);
      },
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

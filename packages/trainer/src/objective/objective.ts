import type { BatchLoss } from './losses/batch-loss.js';
import type { MetricsFor } from './metrics/output-metrics.js';

/** What is minimised and what is measured. */
export interface Objective {
  /** The trainer's loss; absent when the model has its own. */
  readonly loss: BatchLoss | undefined;
  readonly metricsFor: MetricsFor;
  /** Names of the numbers that each batch gives beside its loss, as far as they are known before the first. */
  readonly metricNames: readonly string[];
}

import type { BatchLoss } from './losses/batch-loss.js';
import type { Series } from './metrics/batch-sums.js';
import type { MetricsFor } from './metrics/output-metrics.js';

/** What is minimised and what is measured. */
export interface Objective {
  /** The trainer's loss; absent when the model has its own. */
  readonly loss: BatchLoss | undefined;
  readonly metricsFor: MetricsFor;
  /** The numbers that each batch will give, as far as they are known before the first. */
  readonly metrics: readonly Series[];
}

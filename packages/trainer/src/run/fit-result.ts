import type { HookCost, Metrics, RunStatus } from '@hookline/hook-api';

export interface FitResult {
  status: RunStatus;
  /** Why the run ended before its last epoch. */
  stopReason: string | undefined;
  /** The metrics of each epoch. */
  history: readonly Metrics[];
  /** The latest value of every metric. */
  metrics: Metrics;
  /** The epoch with the lowest validation loss, or training loss where there is no validation. */
  best: { metric: string; value: number; epoch: number } | undefined;
  runDir: string;
  hookCosts: readonly HookCost[];
  /** For `process.exit`: 0, or 128 and the number of the signal that ended the run. */
  exitCode: number;
}

/** The better of the best so far and an epoch that is over. A loss that is no number is never the best. */
export function betterOf(best: FitResult['best'], metrics: Metrics, epoch: number): FitResult['best'] {
  const metric = 'val/loss' in metrics ? 'val/loss' : 'train/loss';
  const value = metrics[metric] ?? Number.NaN;
  if (Number.isNaN(value)) return best;
  if (best && best.metric !== metric) {
    // Where there is validation, it decides.
    return metric === 'val/loss' ? { metric, value, epoch } : best;
  }
  return best && value >= best.value ? best : { metric, value, epoch };
}

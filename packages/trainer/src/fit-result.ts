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

/** The epoch with the lowest loss. A loss that is no number is never the best. */
export function bestOf(history: readonly Metrics[], firstEpoch: number): FitResult['best'] {
  const metric = history.some((metrics) => 'val/loss' in metrics) ? 'val/loss' : 'train/loss';
  let best: FitResult['best'];
  for (const [index, metrics] of history.entries()) {
    const value = metrics[metric] ?? Number.NaN;
    if (Number.isNaN(value) || (best && value >= best.value)) continue;
    best = { metric, value, epoch: firstEpoch + index };
  }
  return best;
}

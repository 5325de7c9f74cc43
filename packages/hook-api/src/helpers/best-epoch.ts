import type { Metrics } from '../context.js';

/** The epoch with the lowest validation loss, or training loss where there is no validation. */
export interface BestEpoch {
  metric: string;
  value: number;
  epoch: number;
}

/** The better of the best so far and an epoch that is over. A loss that is not a number is never the best. */
export function betterEpoch(
  best: BestEpoch | undefined,
  metrics: Metrics,
  epoch: number,
): BestEpoch | undefined {
  const metric = 'val/loss' in metrics ? 'val/loss' : 'train/loss';
  const value = metrics[metric] ?? Number.NaN;
  if (Number.isNaN(value)) return best;
  if (best && best.metric !== metric) {
    // Where there is validation, it decides.
    return metric === 'val/loss' ? { metric, value, epoch } : best;
  }
  return best && value >= best.value ? best : { metric, value, epoch };
}

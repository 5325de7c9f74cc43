import type { OptimizerView } from '@hookline/hook-api';

/** The rates in effect, by optimizer, or by optimizer and group when it has several. */
export function learningRates(optimizers: readonly OptimizerView[]): Record<string, number> {
  const rates: Record<string, number> = {};
  for (const { name, groups } of optimizers) {
    for (const group of groups) {
      const key = groups.length === 1 ? name : `${name}/${group.name}`;
      rates[key] = group.lr * group.lrScale;
    }
  }
  return rates;
}

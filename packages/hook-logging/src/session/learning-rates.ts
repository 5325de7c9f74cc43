import type { OptimizerView } from '@hookline/hook-api';
import { groupNames } from '@hookline/hook-api/helpers';

/** The rates in effect, by optimizer, or by optimizer and group when it has several. */
export function learningRates(optimizers: readonly OptimizerView[]): Record<string, number> {
  const names = groupNames(optimizers).flat();
  const groups = optimizers.flatMap((optimizer) => optimizer.groups);
  return Object.fromEntries(groups.map(({ lr, lrScale }, index) => [names[index]!, lr * lrScale]));
}

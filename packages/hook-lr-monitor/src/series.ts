import type { Metrics, OptimizerGroupView, OptimizerView } from '@hookline/hook-api';
import { groupNames } from '@hookline/hook-api/helpers';
import type { LrMonitorOptions } from './options.js';

/** One metric of one group; it has no value while there is nothing to log. */
export interface Series {
  readonly name: string;
  value(): number | undefined;
}

/** What is logged of each optimizer. */
export function seriesOf(
  optimizers: readonly OptimizerView[],
  { momentum = true, weightDecay = true }: LrMonitorOptions,
): Series[][] {
  const names = groupNames(optimizers);
  return optimizers.map(({ groups }, optimizer) =>
    groups.flatMap((group, index) => {
      const name = names[optimizer]![index]!;
      return [
        { name: `lr/${name}`, value: () => group.lr * group.lrScale },
        { name: `lr-scale/${name}`, value: scaleOf(group) },
        ...(momentum ? [{ name: `momentum/${name}`, value: () => group.momentum }] : []),
        ...(weightDecay ? [{ name: `weight-decay/${name}`, value: () => group.weightDecay }] : []),
      ];
    }),
  );
}

export function valuesOf(series: readonly Series[]): Metrics {
  const values: Record<string, number> = {};
  for (const each of series) {
    const value = each.value();
    if (value !== undefined) values[each.name] = value;
  }
  return values;
}

/** Few runs have a scale: it is logged from the first time it is not 1, also when it returns to 1. */
function scaleOf(group: OptimizerGroupView): () => number | undefined {
  let isUsed = false;
  return () => {
    isUsed ||= group.lrScale !== 1;
    return isUsed ? group.lrScale : undefined;
  };
}

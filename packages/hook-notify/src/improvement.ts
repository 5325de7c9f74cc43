import type { JsonValue, LoadedHookState } from '@hookline/hook-api';
import { type Comparison, foreignState, isBetter } from '@hookline/hook-api/helpers';

/** What is known of the monitored metric, and what a checkpoint holds of this hook. */
export interface Improvement {
  readonly best: number | undefined;
  /** From 0. */
  readonly bestEpoch: number | undefined;
  /** Checks in a row without improvement. */
  readonly wait: number;
}

export const NO_IMPROVEMENT: Improvement = { best: undefined, bestEpoch: undefined, wait: 0 };

/** One check. The first value is the best so far; NaN and the infinities never are. */
export function check(
  { best, bestEpoch, wait }: Improvement,
  value: number,
  epoch: number,
  comparison: Comparison,
): Improvement {
  if (Number.isFinite(value) && isBetter(value, best, comparison))
    return { best: value, bestEpoch: epoch, wait: 0 };
  return { best, bestEpoch, wait: wait + 1 };
}

export function saveImprovement({ best, bestEpoch, wait }: Improvement): JsonValue {
  return { best: best ?? null, bestEpoch: bestEpoch ?? null, wait };
}

/** `hook` is the name of the hook that is given the state. */
export function loadImprovement(state: LoadedHookState, hook: string): Improvement {
  if (state === null) return NO_IMPROVEMENT; // saved before the hook was ever on
  const { best, bestEpoch, wait } = Object(state) as Record<string, unknown>;
  const isNumber = (value: unknown): value is number => typeof value === 'number';
  if (!isNumber(wait)) throw foreignState(hook, state, '{ best, bestEpoch, wait }');
  return {
    best: isNumber(best) ? best : undefined,
    bestEpoch: isNumber(bestEpoch) ? bestEpoch : undefined,
    wait,
  };
}

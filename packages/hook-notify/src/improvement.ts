import { HooklineError, type JsonValue, type LoadedHookState } from '@hookline/hook-api';
import type { NotifyRules } from './options.js';

/** What is known of the monitored metric; what a checkpoint holds of this hook. */
export interface Improvement {
  readonly best: number | undefined;
  /** From 0. */
  readonly bestEpoch: number | undefined;
  /** Checks in a row without improvement. */
  readonly wait: number;
}

export const NO_IMPROVEMENT: Improvement = { best: undefined, bestEpoch: undefined, wait: 0 };

/** One check. The first value is the best so far, NaN never is; a later one must be better by more than `minDelta`. Pure. */
export function check(
  { best, bestEpoch, wait }: Improvement,
  value: number,
  epoch: number,
  { mode, minDelta }: Pick<NotifyRules, 'mode' | 'minDelta'>,
): Improvement {
  const gain = best === undefined ? Infinity : mode === 'min' ? best - value : value - best;
  if (Number.isFinite(value) && gain > minDelta) return { best: value, bestEpoch: epoch, wait: 0 };
  return { best, bestEpoch, wait: wait + 1 };
}

export function saveImprovement({ best, bestEpoch, wait }: Improvement): JsonValue {
  return { best: best ?? null, bestEpoch: bestEpoch ?? null, wait };
}

export function loadImprovement(state: LoadedHookState): Improvement {
  const { best, bestEpoch, wait } = Object(state) as Record<string, unknown>;
  const isNumber = (value: unknown): value is number => typeof value === 'number';
  if (!isNumber(wait)) {
    throw new HooklineError(
      'HOOK_STATE',
      `Hook "notify" was given a saved state that is not its own: ${JSON.stringify(state)}. ` +
        'Expected { best, bestEpoch, wait }. Start it afresh by leaving the state out.',
    );
  }
  return {
    best: isNumber(best) ? best : undefined,
    bestEpoch: isNumber(bestEpoch) ? bestEpoch : undefined,
    wait,
  };
}

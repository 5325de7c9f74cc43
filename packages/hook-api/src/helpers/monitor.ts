import { HooklineError } from '../errors.js';
import { didYouMean } from '../nearest.js';

export interface Comparison {
  /** `min`: lower is better. `max`: higher is better. */
  mode: 'min' | 'max';
  /** A gain must be larger than this: a gain of exactly `minDelta` does not count. */
  minDelta: number;
}

/**
 * Whether `value` is better than `best` by more than `minDelta`. Without a best, anything but NaN is better. As in Keras
 * and Lightning, `minDelta` is added to the value: the difference of the two would be rounded differently.
 */
export function isBetter(value: number, best: number | undefined, { mode, minDelta }: Comparison): boolean {
  if (Number.isNaN(value)) return false;
  if (best === undefined) return true;
  return mode === 'min' ? value + minDelta < best : value - minDelta > best;
}

/**
 * The mode of a hook that monitors a metric: the given one, or `min`. It is never guessed, because a wrong guess
 * would prefer the worst; where a name usually means "higher is better", the user must say it.
 */
export function modeOf(hook: string, monitor: string, mode: 'min' | 'max' | undefined): 'min' | 'max' {
  if (mode === undefined && HIGHER_IS_BETTER.test(monitor)) {
    throw new HooklineError(
      'HOOK_OPTIONS',
      `Hook "${hook}" monitors "${monitor}", where higher is usually better, but "mode" is not given and would be ` +
        '"min". Say mode: "max", or mode: "min" if you mean it.',
    );
  }
  return mode ?? 'min';
}

/** What a hook says when the metric that it monitors is not among `names`; what happens now is the hook's to add. */
export function missingMetric(hook: string, monitor: string, names: readonly string[]): string {
  return (
    `${hook} monitors "${monitor}", but there is no such metric.${didYouMean(monitor, names)} ` +
    `Metrics so far: ${names.join(', ') || 'none'}.`
  );
}

const HIGHER_IS_BETTER = /(^|[/_-])(acc|accuracy|auc|f1|precision|recall|r2|iou|dice|bleu|score)([/_-]|$)/i;

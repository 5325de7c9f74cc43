import { didYouMean, is, type OptionRule } from '@hookline/hook-api';
import { modeOf } from '@hookline/hook-api/helpers';
import { checkpointError } from '../errors.js';
import { safeName } from '../folder/safe-name.js';
import type { RankingRule } from './ranking.js';

/** A metric that ranks checkpoints, in a list of several. What is left out is as the options of the hook say. */
export interface CheckpointMonitor {
  metric: string;
  mode?: 'min' | 'max';
  saveTopK?: number;
}

/** The options of the hook that say what ranks. */
interface MonitorOptions {
  monitor?: string | readonly (string | CheckpointMonitor)[];
  mode?: 'min' | 'max';
  saveTopK?: number;
}

export interface MonitorRule extends RankingRule {
  /** The file, without its ending, that names the best: `best` for the first metric, `best-val-accuracy` for others. */
  readonly pointer: string;
}

export const filled: OptionRule = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'a string that is not empty';

const FIELDS: Readonly<Record<keyof CheckpointMonitor, OptionRule>> = {
  metric: filled,
  mode: is.oneOf('min', 'max'),
  saveTopK: is.integer({ min: -1 }),
};

/** The name of a metric, or a list of names and of `{ metric, mode, saveTopK }`. */
export const monitorOption: OptionRule = (value) => {
  if (filled(value) === undefined) return undefined;
  const expected = 'the name of a metric, or a list of names and of { metric, mode, saveTopK }';
  if (!Array.isArray(value) || value.length === 0) return expected;
  const problems = value.flatMap((each, index) => problemsOf(each).map((problem) => `[${index}]${problem}`));
  return problems.length === 0 ? undefined : `${expected}; ${problems.join('; ')}`;
};

function problemsOf(monitor: unknown): string[] {
  if (filled(monitor) === undefined) return [];
  if (typeof monitor !== 'object' || monitor === null) return [' is neither of the two'];
  const known = Object.keys(FIELDS);
  const unknown = Object.keys(monitor).filter((key) => !known.includes(key));
  // Without a metric, the rule of the metric says what is missing.
  const given = Object.entries({ ...monitor, metric: (monitor as Partial<CheckpointMonitor>).metric ?? '' });
  return [
    ...unknown.map((key) => {
      const guess = didYouMean(key, known);
      return ` has an unknown option "${key}"${guess && `.${guess}`}`;
    }),
    ...given.flatMap(([key, value]) => {
      const expected = value === undefined ? undefined : FIELDS[key as keyof CheckpointMonitor]?.(value);
      return expected === undefined ? [] : [`.${key} must be ${expected}`];
    }),
  ];
}

/** One rule for each metric, in the order in which they are given. */
export function monitorsOf({ monitor = 'val/loss', mode, saveTopK = 3 }: MonitorOptions): MonitorRule[] {
  const listed = typeof monitor === 'string' ? [monitor] : monitor;
  const monitors = listed.map((each) => (typeof each === 'string' ? { metric: each } : each));
  refuseSameName(monitors.map(({ metric }) => metric));
  return monitors.map(({ metric, ...own }, index) => ({
    monitor: metric,
    mode: modeOf('checkpoint', metric, own.mode ?? mode),
    saveTopK: own.saveTopK ?? saveTopK,
    pointer: index === 0 ? 'best' : pointerOf(metric),
  }));
}

function pointerOf(metric: string): string {
  return `best-${safeName(metric, '-')}`;
}

function refuseSameName(metrics: readonly string[]): void {
  const seen = new Map<string, string>();
  for (const metric of metrics) {
    // Some file systems do not tell upper from lower case.
    const pointer = pointerOf(metric).toLowerCase();
    const other = seen.get(pointer);
    seen.set(pointer, metric);
    if (other === undefined) continue;
    const problem =
      other === metric
        ? `the metric "${metric}" twice. Name each metric once.`
        : `the metrics "${other}" and "${metric}", whose pointers would both be called ${pointer}.json. Rename one.`;
    throw checkpointError('HOOK_OPTIONS', `Hook "checkpoint" monitors ${problem}`);
  }
}

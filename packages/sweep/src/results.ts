import { shortNumber } from '@hookline/hook-api/helpers';
import { ranking } from './schedule.js';
import type { Point } from './space.js';
import type { Sweep } from './sweep-config.js';
import type { Trial } from './trial/trial.js';

/** A trial in the results; the best one comes first. */
export interface TrialResult {
  readonly trial: number;
  readonly status: 'trained' | 'stopped early' | 'training' | 'interrupted' | 'failed';
  /** null: it has none yet, or it was not a number. */
  readonly value: number | null;
  readonly epochs: number;
  readonly steps: number;
  readonly seconds: number;
  readonly point: Point;
  readonly error?: string;
}

/** Every trial, those that were trained longest first, and among them the best first. */
export function resultsOf(sweep: Sweep, trials: readonly Trial[]): TrialResult[] {
  const ranked = ranking(sweep, trials);
  return [...ranked, ...trials.filter((trial) => !ranked.includes(trial))].map((trial) => {
    const reached = trial.outcomes.at(-1);
    return {
      trial: trial.number,
      status: statusOf(sweep, trial),
      value: Number.isFinite(reached?.value) ? reached!.value : null,
      epochs: reached?.epochs ?? 0,
      steps: reached?.steps ?? 0,
      seconds: trial.outcomes.reduce((sum, { seconds }) => sum + seconds, 0),
      point: trial.point,
      ...(trial.failed !== undefined && { error: trial.failed }),
    };
  });
}

/** The results as a table for a terminal. */
export function resultTable({ monitor, space }: Sweep, results: readonly TrialResult[]): string {
  const names = Object.keys(space);
  const rows = [
    ['trial', 'status', monitor, 'epochs', 'steps', ...names],
    ...results.map(({ trial, status, value, epochs, steps, point }) => [
      ...[String(trial), status, value === null ? '-' : shortNumber(value), String(epochs), String(steps)],
      ...names.map((name) => settingText(point[name])),
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd();
  return `${rows.map(line).join('\n')}\n`;
}

function statusOf(
  { rungs }: Sweep,
  { failed, running, interrupted, outcomes }: Trial,
): TrialResult['status'] {
  if (failed !== undefined) return 'failed';
  if (running !== undefined) return 'training';
  if (interrupted !== undefined) return 'interrupted';
  return outcomes.length === rungs.length ? 'trained' : 'stopped early';
}

function settingText(setting: unknown): string {
  return typeof setting === 'number' ? shortNumber(setting) : (JSON.stringify(setting) ?? '-');
}

import type { Point } from '../space.js';
import type { Outcome, Trial } from '../trial/trial.js';
import type { Owner } from './owner.js';

/** A line of the journal. */
export type Entry =
  | {
      readonly event: 'start';
      readonly trial: number;
      readonly rung: number;
      readonly point: Point;
      readonly by: Owner;
    }
  | ({ readonly event: 'end'; readonly trial: number; readonly rung: number } & Omit<Outcome, 'value'> & {
        /** null: not a number, which JSON cannot say. */
        readonly value: number | null;
      })
  | { readonly event: 'interrupted'; readonly trial: number; readonly rung: number }
  | { readonly event: 'failed'; readonly trial: number; readonly rung: number; readonly error: string };

/** The trials after all of these. `isAlive` says whether the owner of a trial that has no end still trains it. */
export function trialsAfter(entries: readonly Entry[], isAlive: (owner: Owner) => boolean): Trial[] {
  let trials: readonly Trial[] = [];
  for (const entry of entries) {
    if (entry.event === 'start' || trials[entry.trial] !== undefined) trials = withEntry(trials, entry);
  }
  const count = Math.max(0, ...entries.map(({ trial }) => trial + 1));
  return Array.from({ length: count }, (_, number) => {
    const trial = trials[number] ?? lostTrial(number);
    return trial.running === undefined || isAlive(trial.by!)
      ? trial
      : { ...trial, running: undefined, by: undefined, interrupted: trial.running };
  });
}

/** The trials after one more event. */
export function withEntry(trials: readonly Trial[], entry: Entry): Trial[] {
  const before = trials[entry.trial] ?? newTrial(entry.trial, entry.event === 'start' ? entry.point : {});
  const idle = { ...before, running: undefined, by: undefined, interrupted: undefined };
  const changed = [...trials];
  changed[entry.trial] = { ...idle, ...change(before, entry) };
  return changed;
}

function newTrial(number: number, point: Point): Trial {
  return { number, point, outcomes: [], running: undefined, interrupted: undefined, failed: undefined };
}

/** Somebody has removed its damaged line: without its point, the rest says nothing. */
function lostTrial(number: number): Trial {
  return { ...newTrial(number, {}), failed: 'the journal has lost its start' };
}

function change({ outcomes }: Trial, entry: Entry): Partial<Trial> {
  switch (entry.event) {
    case 'start':
      return { running: entry.rung, by: entry.by };
    case 'end': {
      const { value, epochs, steps, seconds, finished } = entry;
      return { outcomes: [...outcomes, { value: value ?? NaN, epochs, steps, seconds, finished }] };
    }
    case 'interrupted':
      return { interrupted: entry.rung };
    case 'failed':
      return { failed: entry.error };
  }
}

/** The line that says what a trial has reached. */
export function endEntry(trial: number, rung: number, { value, ...outcome }: Outcome): Entry {
  return { event: 'end', trial, rung, ...outcome, value: Number.isFinite(value) ? value : null };
}

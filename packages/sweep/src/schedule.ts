import { deriveSeed, RandomGenerator } from '@hookline/numerics';
import { gridPoint } from './search/grid.js';
import { tpePoint } from './search/tpe.js';
import { type Point, randomPoint } from './space.js';
import type { Sweep } from './sweep-config.js';
import type { Trial } from './trial/trial.js';

/** What to train next: a new trial, or one that goes on. */
export interface Job {
  readonly trial: number;
  readonly point: Point;
  readonly rung: number;
  /** Train until this many epochs of the trial are over. */
  readonly epochs: number;
}

/**
 * The next job, by asynchronous successive halving (Li et al., 2020): whoever is free promotes a trial that is among the
 * best of its rung, or else starts a new one. `wait`: it depends on what is training now.
 */
export function nextJob(sweep: Sweep, trials: readonly Trial[]): Job | 'wait' | 'done' {
  const interrupted = trials.find((trial) => trial.interrupted !== undefined);
  if (interrupted) return jobOf(sweep, interrupted, interrupted.interrupted!);
  const isLast = trials.length >= sweep.trials;
  const isQuiet = isLast && trials.every((trial) => trial.running === undefined);
  for (let rung = sweep.rungs.length - 2; rung >= 0; rung--) {
    const trial = promotable(sweep, trials, rung, isQuiet);
    if (trial) return jobOf(sweep, trial, rung + 1);
  }
  if (isLast) return isQuiet ? 'done' : 'wait';
  const trial = trials.length;
  return { trial, point: newPoint(sweep, trials), rung: 0, epochs: sweep.rungs[0]! };
}

/** The trials that have a value, the best first: who trained longest comes first, as its value says most. */
export function ranking(sweep: Sweep, trials: readonly Trial[]): Trial[] {
  return trials
    .filter(({ outcomes }) => outcomes.length > 0)
    .sort(
      (a, b) =>
        b.outcomes.length - a.outcomes.length || byValue(sweep)(a.outcomes.at(-1)!, b.outcomes.at(-1)!),
    );
}

/** The better value first; what is not a number comes last. */
function byValue({ mode }: Sweep): (a: { value: number }, b: { value: number }) => number {
  const key = ({ value }: { value: number }) =>
    Number.isNaN(value) ? Infinity : mode === 'min' ? value : -value;
  // Infinite values are equal: their difference is not a number.
  return (a, b) => (key(a) === key(b) ? 0 : key(a) - key(b));
}

/**
 * The best of a rung that may go on. One in `factor` may; when nothing else will come, the best one does in any case, so
 * that a sweep always has a trial that was trained to the end.
 */
function promotable(
  sweep: Sweep,
  trials: readonly Trial[],
  rung: number,
  isQuiet: boolean,
): Trial | undefined {
  const inRung = trials.filter(({ outcomes }) => outcomes.length > rung);
  const byRung = byValue(sweep);
  inRung.sort((a, b) => byRung(a.outcomes[rung]!, b.outcomes[rung]!));
  const places = Math.max(Math.floor(inRung.length / sweep.factor), isQuiet ? 1 : 0);
  const wentOn = inRung.filter(
    (trial) => trial.outcomes.length > rung + 1 || trial.running === rung + 1 || trial.failed,
  );
  const isOpen = (trial: Trial) => !wentOn.includes(trial);
  const among = isQuiet && wentOn.every(({ failed }) => failed) ? inRung : inRung.slice(0, places);
  return among.find(isOpen);
}

function jobOf({ rungs }: Sweep, { number, point }: Trial, rung: number): Job {
  return { trial: number, point, rung, epochs: rungs[rung]! };
}

function newPoint(sweep: Sweep, trials: readonly Trial[]): Point {
  const { search, space, seed } = sweep;
  if (search === 'grid') return gridPoint(space, trials.length);
  const random = new RandomGenerator(deriveSeed(seed, 'trial', trials.length));
  if (search === 'random') return randomPoint(space, random);
  return tpePoint(
    space,
    ranking(sweep, trials).map(({ point }) => point),
    random,
  );
}

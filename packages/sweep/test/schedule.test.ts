import { expect, test } from 'vitest';
import { type Entry, endEntry, withEntry } from '../src/journal/entries.js';
import { type Job, nextJob, ranking } from '../src/schedule.js';
import { type Point, uniform } from '../src/space.js';
import { type Sweep, type SweepConfig, sweepOf } from '../src/sweep-config.js';
import type { Trial } from '../src/trial/trial.js';

const sweep = (config: Partial<SweepConfig> = {}, epochs = 9): Sweep =>
  sweepOf({ space: { x: uniform(0, 1) }, search: 'random', trials: 9, ...config }, epochs);

const start = ({ trial, rung, point }: Job): Entry => ({ event: 'start', trial, rung, point, by: 'queue' });
const end = ({ trial, rung, epochs }: Job, value: number): Entry =>
  endEntry(trial, rung, { value, epochs, steps: epochs * 10, seconds: 1, finished: false });

/** Trains with a number of workers whose jobs end in the order in which they began. */
function simulate(
  of: Sweep,
  lossOf: (point: Point, epochs: number) => number,
  workers = 1,
): { trials: Trial[]; jobs: Job[] } {
  let trials: Trial[] = [];
  const jobs: Job[] = [];
  const running: Job[] = [];
  for (;;) {
    const job = running.length < workers ? nextJob(of, trials) : 'wait';
    if (typeof job === 'object') {
      trials = withEntry(trials, start(job));
      running.push(job);
      jobs.push(job);
    } else {
      const ended = running.shift();
      if (!ended) return { trials, jobs };
      trials = withEntry(trials, end(ended, lossOf(ended.point, ended.epochs)));
    }
  }
}

const quality = ({ x }: Point, epochs: number) => (x as number) + 1 / epochs;

test('one in three continues at each rung, the best ones, each for three times as many epochs', () => {
  const { trials, jobs } = simulate(sweep(), quality);
  expect(sweep().rungs).toEqual([1, 3, 9]);
  expect(jobs.filter(({ rung }) => rung === 0)).toHaveLength(9);
  // One or two more than a third: who was best among the first may be overtaken by who came later.
  expect(jobs.filter(({ rung }) => rung === 1).length).toBeLessThanOrEqual(5);
  expect(jobs.filter(({ rung }) => rung === 2).length).toBeLessThanOrEqual(2);
  const best = trials.reduce((a, b) => ((a.point.x as number) < (b.point.x as number) ? a : b));
  expect(best.outcomes).toHaveLength(3);
});

test('with several workers the best trial is still trained to the end, and nobody waits for a rung to be full', () => {
  const { trials, jobs } = simulate(sweep({ trials: 27 }), quality, 4);
  const firstPromotion = jobs.findIndex(({ rung }) => rung > 0);
  expect(firstPromotion).toBeLessThan(10);
  const best = trials.reduce((a, b) => ((a.point.x as number) < (b.point.x as number) ? a : b));
  expect(best.outcomes).toHaveLength(3);
});

test('a sweep with fewer trials than the factor still trains its best one to the end', () => {
  const { trials } = simulate(sweep({ trials: 2 }), quality);
  expect(trials.map(({ outcomes }) => outcomes.length).sort()).toEqual([1, 3]);
});

test('without halving every trial is trained to the end at once', () => {
  const { jobs } = simulate(sweep({ halving: false }), quality);
  expect(jobs).toHaveLength(9);
  expect(jobs.every(({ epochs }) => epochs === 9)).toBe(true);
});

test('with mode max the highest value continues', () => {
  const { trials } = simulate(sweep({ monitor: 'val/accuracy', mode: 'max' }), ({ x }) => x as number);
  const best = trials.reduce((a, b) => ((a.point.x as number) > (b.point.x as number) ? a : b));
  expect(best.outcomes).toHaveLength(3);
});

test('a value that is not a number never continues while another can', () => {
  let count = 0;
  const { trials } = simulate(sweep(), () => (count++ % 2 === 0 ? NaN : 1));
  for (const { outcomes } of trials.filter(({ outcomes }) => outcomes.length > 1)) {
    expect(outcomes[0]!.value).toBe(1);
  }
});

test('a trial that failed leaves its place to the next best', () => {
  const of = sweep({ trials: 3 });
  let trials: Trial[] = [];
  for (const value of [1, 2, 3]) {
    const job = nextJob(of, trials) as Job;
    trials = withEntry(withEntry(trials, start(job)), end(job, value));
  }
  const promoted = nextJob(of, trials) as Job;
  expect(promoted).toMatchObject({ trial: 0, rung: 1 });
  trials = withEntry(trials, { event: 'failed', trial: 0, rung: 1, error: 'out of memory' });
  expect(nextJob(of, trials)).toMatchObject({ trial: 1, rung: 1 });
});

test('a trial whose process ended is the next job, for the same rung', () => {
  const of = sweep();
  const job = nextJob(of, []) as Job;
  const trials = withEntry(withEntry([], start(job)), { event: 'interrupted', trial: 0, rung: 0 });
  expect(nextJob(of, trials)).toEqual(job);
});

test('the same trials give the same next point, and grids their points in order', () => {
  expect(nextJob(sweep(), [])).toEqual(nextJob(sweep(), []));
  expect(nextJob(sweep({ seed: 1 }), [])).not.toEqual(nextJob(sweep(), []));
  const grid = sweep({ search: 'grid', space: { x: uniform(0, 1, { steps: 3 }) }, halving: false });
  expect(simulate(grid, quality).jobs.map(({ point }) => point.x)).toEqual([0, 0.5, 1]);
});

test('a free worker waits while what is training decides, and is done when nothing is', () => {
  const of = sweep({ trials: 1, halving: false });
  const job = nextJob(of, []) as Job;
  const training = withEntry([], start(job));
  expect(nextJob(of, training)).toBe('wait');
  expect(nextJob(of, withEntry(training, end(job, 1)))).toBe('done');
});

test('an interrupted trial comes before a promotion and before a new one', () => {
  const of = sweep({ trials: 9 });
  let trials: Trial[] = [];
  for (const value of [1, 2, 3]) {
    const job = nextJob(of, trials) as Job;
    trials = withEntry(withEntry(trials, start(job)), end(job, value));
  }
  expect(nextJob(of, trials)).toMatchObject({ trial: 0, rung: 1 });
  const broken = withEntry(trials, { event: 'interrupted', trial: 2, rung: 1 });
  expect(nextJob(of, broken)).toMatchObject({ trial: 2, rung: 1, epochs: 3 });
});

test('a sweep in which every trial fails is done', () => {
  const of = sweep({ trials: 2 });
  let trials: Trial[] = [];
  for (const trial of [0, 1]) {
    trials = withEntry(trials, start(nextJob(of, trials) as Job));
    trials = withEntry(trials, { event: 'failed', trial, rung: 0, error: 'no data' });
  }
  expect(nextJob(of, trials)).toBe('done');
});

test('where every value is not a number, one trial is still trained to the end', () => {
  const { trials } = simulate(sweep({ trials: 3 }), () => NaN);
  expect(trials.filter(({ outcomes }) => outcomes.length === 3)).toHaveLength(1);
});

test('infinite values are ranked: a loss of Infinity after every number, and an accuracy of it before', () => {
  const values = [1, Infinity, -Infinity, NaN];
  const ranked = (of: Sweep) => {
    let trials: Trial[] = [];
    for (const [trial, value] of values.entries()) {
      const job = { trial, rung: 0, epochs: 9, point: { x: 0 } };
      trials = withEntry(withEntry(trials, start(job)), {
        ...end(job, 1),
        value,
      } as Entry);
    }
    return ranking(of, trials).map(({ number }) => values[number]);
  };
  expect(ranked(sweep({ halving: false })).slice(0, 2)).toEqual([-Infinity, 1]);
  expect(ranked(sweep({ halving: false, monitor: 'val/accuracy', mode: 'max' }))[0]).toBe(Infinity);
});

test('the second half of a sweep is the same whoever ran the first: points depend on trials alone', () => {
  const of = sweep({ search: 'tpe', trials: 14, halving: false });
  const { trials, jobs } = simulate(of, quality);
  expect(nextJob(of, trials.slice(0, 12))).toEqual(jobs[12]);
});

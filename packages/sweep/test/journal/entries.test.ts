import { describe, expect, test } from 'vitest';
import { type Entry, endEntry, trialsAfter, withEntry } from '../../src/journal/entries.js';
import { thisOwner } from '../../src/journal/owner.js';
import { nextJob } from '../../src/schedule.js';
import { choice } from '../../src/space.js';
import { sweepOf } from '../../src/sweep-config.js';

const by = thisOwner();
const start = (trial: number, rung = 0): Entry => ({ event: 'start', trial, rung, point: { x: trial }, by });
const reached = (trial: number, rung: number, value: number): Entry =>
  endEntry(trial, rung, { value, epochs: 3 ** rung, steps: 9, seconds: 1, finished: false });
const after = (...entries: Entry[]) => trialsAfter(entries, () => true);

test('a trial trains from its start to its end, and then has an outcome for each rung', () => {
  expect(after(start(0))[0]).toMatchObject({ number: 0, running: 0, by, outcomes: [] });
  const [trial] = after(start(0), reached(0, 0, 5), start(0, 1), reached(0, 1, 4));
  expect(trial!.outcomes.map(({ value, epochs }) => [value, epochs])).toEqual([
    [5, 1],
    [4, 3],
  ]);
  expect([trial!.running, trial!.by, trial!.point]).toEqual([undefined, undefined, { x: 0 }]);
});

test('an interrupted trial keeps what it had reached, and starting it again ends the interruption', () => {
  const broken: Entry = { event: 'interrupted', trial: 0, rung: 1 };
  const [trial] = after(start(0), reached(0, 0, 5), start(0, 1), broken);
  expect(trial).toMatchObject({ interrupted: 1, running: undefined });
  expect(trial!.outcomes).toHaveLength(1);
  expect(after(start(0), broken, start(0, 1))[0]).toMatchObject({ interrupted: undefined, running: 1 });
});

test('a trial whose owner has ended counts as interrupted, for the rung that it was training for', () => {
  const [trial] = trialsAfter([start(0), reached(0, 0, 5), start(0, 1)], () => false);
  expect(trial).toMatchObject({ running: undefined, by: undefined, interrupted: 1 });
  // One that has reached its rung has no owner any more.
  expect(trialsAfter([start(0), reached(0, 0, 5)], () => false)[0]!.interrupted).toBeUndefined();
});

test('a failure is kept with its reason, beside what was reached before', () => {
  const [trial] = after(start(0), reached(0, 0, 5), start(0, 1), {
    event: 'failed',
    trial: 0,
    rung: 1,
    error: 'no memory',
  });
  expect(trial).toMatchObject({ failed: 'no memory', running: undefined });
  expect(trial!.outcomes).toHaveLength(1);
});

test.each([NaN, Infinity, -Infinity])(
  'a value of %d is null in JSON, and not a number when read',
  (value) => {
    const line = JSON.parse(JSON.stringify(reached(0, 0, value)));
    expect(line.value).toBeNull();
    expect(after(start(0), line)[0]!.outcomes[0]!.value).toBeNaN();
  },
);

test('an event changes only its own trial, and not the list that it was given', () => {
  const before = after(start(0), start(1));
  const changed = withEntry(before, reached(1, 0, 2));
  expect(changed[0]).toBe(before[0]);
  expect(before[1]!.outcomes).toEqual([]);
  expect(changed[1]!.outcomes).toHaveLength(1);
});

describe('a damaged line that was removed, as the error advises,', () => {
  const sweep = sweepOf({ space: { x: choice(0, 1, 2, 3) }, search: 'tpe', trials: 4, halving: false }, 3);

  test('makes a trial without a start a failed one, and the sweep continues', () => {
    const trials = after(start(0), reached(0, 0, 1), start(2), reached(2, 0, 2));
    expect(trials.map(({ failed }) => failed)).toEqual([
      undefined,
      'the journal has lost its start',
      undefined,
    ]);
    expect(nextJob(sweep, trials)).toMatchObject({ trial: 3 });
  });

  test('leaves out what such a trial had reached: nobody knows for which point', () => {
    const trials = after(start(0), reached(1, 0, 1));
    expect(trials[1]).toMatchObject({ number: 1, point: {}, outcomes: [] });
    expect(trials[1]!.failed).toBeDefined();
  });
});

import { expect, test } from 'vitest';
import { resultsOf, resultTable } from '../src/results.js';
import { choice, uniform } from '../src/space.js';
import { sweepOf } from '../src/sweep-config.js';
import type { Outcome, Trial } from '../src/trial/trial.js';

const sweep = sweepOf({ space: { lr: uniform(0, 1), name: choice('a', 'b') } }, 9);
const outcome = (value: number, epochs: number): Outcome => ({
  value,
  epochs,
  steps: epochs * 10,
  seconds: 2,
  finished: false,
});

function trial(number: number, values: readonly number[], more: Partial<Trial> = {}): Trial {
  return {
    number,
    point: { lr: number / 10, name: 'a' },
    outcomes: values.map((value, rung) => outcome(value, sweep.rungs[rung]!)),
    running: undefined,
    interrupted: undefined,
    failed: undefined,
    ...more,
  };
}

test('those that were trained longest come first, and among them the best', () => {
  const results = resultsOf(sweep, [
    trial(0, [0.1]),
    trial(1, [0.5, 0.4, 0.3]),
    trial(2, [0.5, 0.4, 0.2]),
    trial(3, [0.3, 0.9]),
  ]);
  expect(results.map(({ trial: number }) => number)).toEqual([2, 1, 3, 0]);
  expect(results.map(({ value }) => value)).toEqual([0.2, 0.3, 0.9, 0.1]);
  expect(results[0]).toMatchObject({ status: 'trained', epochs: 9, steps: 90, seconds: 6 });
});

test('every trial is listed with what it is doing, also one that has no value', () => {
  const results = resultsOf(sweep, [
    trial(0, [0.5]),
    trial(1, [], { running: 0 }),
    trial(2, [0.5], { interrupted: 1 }),
    trial(3, [], { failed: 'no memory' }),
    trial(4, [Number.NaN]),
  ]);
  expect(
    Object.fromEntries(results.map(({ trial: number, status, value }) => [number, [status, value]])),
  ).toEqual({
    0: ['stopped early', 0.5],
    1: ['training', null],
    2: ['interrupted', 0.5],
    3: ['failed', null],
    4: ['stopped early', null],
  });
  expect(results.find(({ trial: number }) => number === 3)!.error).toBe('no memory');
  expect(results.filter(({ error }) => error !== undefined)).toHaveLength(1);
});

test('the table has a column for each setting, and nothing behind the last one', () => {
  const results = resultsOf(sweep, [trial(3, [0.5, 0.4, 0.25]), trial(1, [], { running: 0 })]);
  expect(resultTable(sweep, results)).toBe(
    'trial  status    val/loss  epochs  steps  lr   name\n' +
      '3      trained   0.25      9       90     0.3  "a"\n' +
      '1      training  -         0       0      0.1  "a"\n',
  );
  expect(resultTable(sweep, [])).toBe('trial  status  val/loss  epochs  steps  lr  name\n');
});

test('where more is better, the largest comes first', () => {
  const more = sweepOf(
    { space: { lr: uniform(0, 1) }, monitor: 'val/accuracy', mode: 'max', halving: false },
    9,
  );
  const results = resultsOf(more, [trial(0, [0.5]), trial(1, [0.9]), trial(2, [0.7])]);
  expect(results.map(({ value }) => value)).toEqual([0.9, 0.7, 0.5]);
});

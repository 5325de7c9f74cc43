import { describe, expect, test } from 'vitest';
import type { ScheduleSpec } from '../../src/schedules/create-schedule.js';
import { createSchedule, type Segment } from '../../src/schedules/create-schedule.js';
import type { Curve } from '../../src/schedules/curves.js';

const POSITIONS = 200;

function curveOf(spec: ScheduleSpec): { course: Curve; length: number } {
  const [segment] = createSchedule(spec);
  return segment as Segment & { course: Curve };
}

/** The factors of a schedule at its first positions. */
function factorsOf(spec: ScheduleSpec, positions = POSITIONS): number[] {
  const { course, length } = curveOf(spec);
  return Array.from({ length: positions }, (_, position) => course(Math.min(position, length)));
}

/** A sequence from its first value and the way from one value to the next. */
function sequence(first: number, next: (last: number, position: number) => number): number[] {
  const values = [first];
  for (let position = 1; position < POSITIONS; position++) values.push(next(values.at(-1)!, position));
  return values;
}

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((value, position) => {
    expect(Math.abs(actual[position]! - value), `position ${position}`).toBeLessThan(1e-12);
  });
}

describe('a schedule gives the factors of its formula:', () => {
  test('constant', () => {
    expectClose(factorsOf({ name: 'constant' }), Array(POSITIONS).fill(1));
    expectClose(factorsOf({ name: 'constant', factor: 0.25 }), Array(POSITIONS).fill(0.25));
  });

  test('step cuts after every so many', () => {
    expectClose(
      factorsOf({ name: 'step', every: 30 }),
      sequence(1, (last, position) => (position % 30 === 0 ? last * 0.1 : last)),
    );
    expect(factorsOf({ name: 'step', every: 2, gamma: 0.5 }).slice(0, 6)).toEqual([
      1, 1, 0.5, 0.5, 0.25, 0.25,
    ]);
  });

  test('exponential', () => {
    expectClose(
      factorsOf({ name: 'exponential', gamma: 0.98 }),
      sequence(1, (last) => last * 0.98),
    );
  });

  test('polynomial', () => {
    // The slope of a line is the same everywhere.
    expectClose(
      factorsOf({ name: 'polynomial', steps: 100 }),
      sequence(1, (last, position) => (position <= 100 ? last - 0.01 : 0)),
    );
    const squared = factorsOf({ name: 'polynomial', steps: 160, power: 2, to: 0.1 });
    expectClose([squared[0]!, squared[80]!, squared[160]!, squared[199]!], [1, 0.1 + 0.9 / 4, 0.1, 0.1]);
  });

  test('warmup', () => {
    expectClose(
      factorsOf({ name: 'warmup', steps: 50, from: 0.2 }),
      sequence(0.2, (last, position) => (position <= 50 ? last + 0.8 / 50 : last)),
    );
    expect(factorsOf({ name: 'warmup', epochs: 50 })[0]).toBe(0.01);
  });

  test('cosine', () => {
    const factors = factorsOf({ name: 'cosine', steps: 120, to: 0.2 });
    // A cosine is the half turn of a pointer: its height over the low end.
    const expected = Array.from({ length: POSITIONS }, (_, position) => {
      const angle = (Math.min(position, 120) / 120) * Math.PI;
      return 0.2 + 0.8 * Math.cos(angle / 2) ** 2;
    });
    expectClose(factors, expected);
  });

  test('cosine with restarts', () => {
    const once = factorsOf({ name: 'cosine', steps: 20 });
    const again = factorsOf({ name: 'cosine', cycle: 20, by: 'epoch' });
    expectClose(
      again,
      again.map((_, position) => once[position % 20]!),
    );
    const growing = factorsOf({ name: 'cosine', cycle: 10, growth: 2, to: 0.1 });
    const starts = growing.flatMap((factor, position) => (factor === 1 ? [position] : []));
    expect(starts).toEqual([0, 10, 30, 70, 150]);
    expectClose([growing[5]!, growing[20]!, growing[50]!], [0.55, 0.55, 0.55]);
  });

  test('cosine with restarts and an end, which is low', () => {
    const ended = factorsOf({ name: 'cosine', steps: 60, cycle: 20 });
    expect(ended[40]).toBe(1);
    expectClose(ended.slice(60), Array(POSITIONS - 60).fill(0));
    const grown = factorsOf({ name: 'cosine', steps: 70, cycle: 10, growth: 2 });
    expectClose(grown.slice(70), Array(POSITIONS - 70).fill(0));
    const cut = factorsOf({ name: 'cosine', steps: 50, cycle: 20 });
    expectClose(cut.slice(50), Array(POSITIONS - 50).fill(0.5));
  });

  test('a late position of many short cycles costs no more than an early one', () => {
    const { course } = curveOf({ name: 'cosine', cycle: 4 });
    expect(course(4e15 + 2)).toBeCloseTo(0.5, 12);
  });

  test('one-cycle', () => {
    const line = factorsOf({
      name: 'one-cycle',
      steps: 100,
      rise: 0.25,
      from: 0.1,
      to: 0.01,
      shape: 'linear',
    });
    const top = 24;
    expectClose(
      line,
      sequence(0.1, (last, position) => {
        if (position <= top) return last + 0.9 / top;
        return position < 100 ? last - 0.99 / (99 - top) : last;
      }),
    );
    const wave = factorsOf({ name: 'one-cycle', steps: 100 });
    expectClose([wave[0]!, wave[29]!, wave[99]!, wave[150]!], [1 / 25, 1, 1 / 250_000, 1 / 250_000]);
    expectClose([wave[64]!], [(1 + 1 / 250_000) / 2]); // halfway down
    expect(Math.max(...wave)).toBe(1);
  });

  test('one-cycle with hardly any step to rise in', () => {
    expect(factorsOf({ name: 'one-cycle', steps: 1 }, 1).every(Number.isFinite)).toBe(true);
    expectClose([factorsOf({ name: 'one-cycle', steps: 10, rise: 0.1 })[0]!], [1]);
  });
});

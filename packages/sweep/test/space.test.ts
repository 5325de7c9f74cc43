import { RandomGenerator } from '@hookline/numerics';
import { errorOf } from '@hookline/test-support';
import { expect, test } from 'vitest';
import {
  checkSpace,
  choice,
  type Dimension,
  integer,
  logUniform,
  randomPoint,
  uniform,
  valueAt,
} from '../src/space.js';

const draws = (dimension: Dimension, count = 4000) => {
  const random = new RandomGenerator(1);
  return Array.from({ length: count }, () => randomPoint({ it: dimension }, random).it as number);
};

test('uniform draws every number between its bounds equally often', () => {
  const values = draws(uniform(-2, 6));
  expect(Math.min(...values)).toBeGreaterThanOrEqual(-2);
  expect(Math.max(...values)).toBeLessThanOrEqual(6);
  for (const edge of [0, 2, 4]) {
    expect(values.filter((value) => value < edge).length / 4000).toBeCloseTo((edge + 2) / 8, 1);
  }
});

test('logUniform draws every order of magnitude equally often', () => {
  const values = draws(logUniform(1e-5, 1e-1));
  for (const [edge, share] of [
    [1e-4, 0.25],
    [1e-3, 0.5],
    [1e-2, 0.75],
  ] as const) {
    expect(values.filter((value) => value < edge).length / 4000).toBeCloseTo(share, 1);
  }
});

test('integer draws whole numbers, both bounds as often as the others', () => {
  const values = draws(integer(1, 4));
  expect(new Set(values)).toEqual(new Set([1, 2, 3, 4]));
  for (const value of [1, 2, 3, 4]) {
    expect(values.filter((each) => each === value).length / 4000).toBeCloseTo(0.25, 1);
  }
});

test('the bounds hold whatever rounding does', () => {
  for (const share of [0, 1 - 2 ** -53]) {
    for (const each of [uniform(0.1, 0.3), logUniform(1e-3, 3e-3), integer(2, 3)]) {
      const value = valueAt(each, share) as number;
      expect(value).toBeGreaterThanOrEqual(each.low);
      expect(value).toBeLessThanOrEqual(each.high);
    }
  }
});

test('choice draws each of its values, also ones that are not numbers', () => {
  const values = new Set(draws(choice('adam', null, true, 3) as never, 200));
  expect(values).toEqual(new Set(['adam', null, true, 3]));
});

test.each([
  [{}, 'is empty'],
  [{ lr: 0.1 }, '["lr"] is not a dimension'],
  [{ lr: null }, '["lr"] is not a dimension'],
  [{ lr: choice() }, '["lr"] offers no choice'],
  [{ lr: uniform(1, 1) }, '["lr"] goes from 1 to 1'],
  [{ lr: uniform(Number.NaN, 1) }, '["lr"] goes from NaN to 1'],
  [{ lr: uniform(0, Infinity) }, '["lr"] goes from 0 to Infinity'],
  [{ lr: logUniform(0, 1) }, '["lr"] starts at 0'],
  [{ units: integer(1, 2.5) }, '["units"] goes from 1 to 2.5'],
  [{ lr: uniform(0, 1, { steps: 1 }) }, '["lr"] has steps: 1'],
])('a space that nothing can be drawn from is refused: %j', async (space, what) => {
  const error = await errorOf(() => checkSpace(space as never));
  expect(error.code).toBe('SWEEP_SPACE');
  expect(error.message).toContain(what);
});

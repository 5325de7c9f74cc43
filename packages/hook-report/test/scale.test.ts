import { expect, test } from 'vitest';
import { scaleOf, stepScale } from '../src/page/scale.js';

test('values lie within the scale, with a little room, and so do its ticks', () => {
  for (const [low, high] of [
    [3, 7],
    [-2, 5],
    [1e-9, 2e-9],
    [-1e30, 1e30],
  ] as const) {
    const scale = scaleOf(low, high, true);
    expect(scale.isLog).toBe(false);
    expect(scale.at(low)).toBeGreaterThan(0);
    expect(scale.at(high)).toBeLessThan(1);
    expect(scale.at(high)).toBeGreaterThan(scale.at(low));
    expect(scale.ticks.length).toBeGreaterThanOrEqual(3);
    expect(scale.ticks.every((tick) => scale.at(tick) >= 0 && scale.at(tick) <= 1.000001)).toBe(true);
  }
});

test('what is never below 0 does not look as if it went there', () => {
  expect(scaleOf(0, 10, true).low).toBe(0);
  expect(scaleOf(0.1, 10, true).low).toBe(0);
  expect(scaleOf(-0.1, 10, true).low).toBeLessThan(-0.1);
});

test.each([0, 5, -5, 1e-12, 3e38])('a constant %d has a scale around it', (value) => {
  const scale = scaleOf(value, value, true);
  expect(scale.high).toBeGreaterThan(scale.low);
  expect(scale.at(value)).toBeGreaterThanOrEqual(0);
  expect(scale.at(value)).toBeLessThanOrEqual(1);
});

test('more than two orders of magnitude are logarithmic, with powers of ten as ticks', () => {
  const scale = scaleOf(0.001, 10, true);
  expect(scale.isLog).toBe(true);
  expect(scale.ticks).toEqual([0.001, 0.01, 0.1, 1, 10]);
  const [a, b, c] = [0.01, 0.1, 1].map((value) => scale.at(value));
  expect(b! - a!).toBeCloseTo(c! - b!, 9);
});

test('a logarithm is not taken of 0, of negative values, or where it was not asked for', () => {
  expect(scaleOf(0, 1e6, true).isLog).toBe(false);
  expect(scaleOf(-1, 1e6, true).isLog).toBe(false);
  expect(scaleOf(1, 1e6, false).isLog).toBe(false);
  expect(scaleOf(1, 100, true).isLog).toBe(false);
});

test('steps run from the first to the last, at whole numbers', () => {
  const scale = stepScale(0, 3);
  expect([scale.at(0), scale.at(3)]).toEqual([0, 1]);
  expect(scale.ticks).toEqual([0, 1, 2, 3]);
  expect(stepScale(1, 1_000_000).ticks).toEqual([200_000, 400_000, 600_000, 800_000, 1_000_000]);
  // One step alone is not divided by nothing.
  expect(stepScale(7, 7).at(7)).toBe(0);
});

import { describe, expect, test } from 'vitest';
import { Series, thin } from '../src/index.js';
import { thinned } from '../src/thin.js';

function seriesOf(values: readonly number[]): Series {
  const series = new Series('a');
  for (const [at, value] of values.entries()) series.add(at, 0, value);
  return series;
}

describe('a series', () => {
  test('is empty at first, and knows its latest value', () => {
    const series = new Series('a');
    expect([series.name, series.length, series.latest]).toEqual(['a', 0, undefined]);
    expect([...series.points().values]).toEqual([]);
    series.add(3, 1, Number.NaN);
    expect(series.latest).toBeNaN();
  });

  test('grows beyond its first columns without losing a point', () => {
    const series = new Series('a');
    for (let step = 0; step < 1_000; step++) series.add(step, Math.floor(step / 10), -step);
    const { steps, epochs, values } = series.points();
    expect([steps.length, steps[999], epochs[999], values[999]]).toEqual([1_000, 999, 99, -999]);
    expect(values.every((value, at) => value === -at)).toBe(true);
  });

  test('forgets what comes after a step, and continues from there', () => {
    const series = seriesOf([0, 1, 2, 3]);
    series.cutAfter(1);
    series.add(2, 0, 9);
    expect([[...series.points().steps], [...series.points().values]]).toEqual([
      [0, 1, 2],
      [0, 1, 9],
    ]);
    series.cutAfter(1);
    expect(series.latest).toBe(1);
    series.cutAfter(-1);
    expect([series.length, series.latest]).toEqual([0, undefined]);
  });
});

describe('a thinned curve', () => {
  const extremesOf = (values: readonly number[]) => [Math.min(...values), Math.max(...values)];

  test.each([10, 37, 100, 999])('of %d points or fewer keeps the extremes, whatever the curve', (count) => {
    for (let seed = 1; seed <= 20; seed++) {
      const values = Array.from({ length: 1_000 }, (_, at) => Math.sin(at * seed) * Math.cos(at * at * seed));
      const kept = thin(seriesOf(values), count);
      expect(kept.values.length).toBeLessThanOrEqual(count);
      // The first and the last point stand for themselves.
      expect(extremesOf([...kept.values])).toEqual(extremesOf(values));
      expect([...kept.steps]).toEqual([...new Set(kept.steps)].sort((a, b) => a - b));
      expect([...kept.values]).toEqual(Array.from(kept.steps, (step) => values[step]));
    }
  });

  test('keeps the columns together', () => {
    const series = new Series('a');
    for (let step = 0; step < 500; step++) series.add(step * 3, step % 7, step * 2);
    const { steps, epochs, values } = thin(series, 20);
    for (const [at, step] of steps.entries()) {
      expect([epochs[at], values[at]]).toEqual([(step / 3) % 7, (step / 3) * 2]);
    }
  });

  test('of nothing but gaps shows that, and infinities count as extremes', () => {
    const gaps = thin(seriesOf(Array(100).fill(Number.NaN)), 10);
    expect(gaps.values.length).toBeLessThanOrEqual(10);
    expect(gaps.values.every(Number.isNaN)).toBe(true);
    const values = Array.from({ length: 100 }, (_, at) => (at === 50 ? Infinity : at === 60 ? -Infinity : 0));
    expect(extremesOf([...thin(seriesOf(values), 10).values])).toEqual([-Infinity, Infinity]);
  });

  test('of a count that makes no sense is still a curve', () => {
    for (const count of [0, -5, 1, 3]) {
      const { steps } = thinned(seriesOf([5, 1, 9, 3, 7, 2]).points(), count);
      expect([steps[0], steps.at(-1)]).toEqual([0, 5]);
    }
  });
});

import { expect, test } from 'vitest';
import { Series, thin } from '../src/index.js';

function seriesOf(length: number, value: (at: number) => number): Series {
  const series = new Series('a');
  for (let at = 0; at < length; at++) series.add(at, 0, value(at));
  return series;
}

test('a thinned curve keeps its spikes, its first point and its last', () => {
  const series = seriesOf(100_000, (at) => (at === 31_337 ? 1e9 : at === 77_777 ? -1e9 : Math.sin(at / 500)));
  const { steps, values } = thin(series, 500);
  expect(values.length).toBeLessThanOrEqual(500);
  expect(values.length).toBeGreaterThan(250);
  expect([Math.max(...values), Math.min(...values)]).toEqual([1e9, -1e9]);
  expect([steps[0], steps.at(-1)]).toEqual([0, 99_999]);
  expect(steps.every((step, at) => at === 0 || step > steps[at - 1]!)).toBe(true);
});

test('a curve that became NaN still shows where', () => {
  const series = seriesOf(10_000, (at) => (at === 5_000 ? Number.NaN : at));
  const { values, steps } = thin(series, 100);
  expect(values.length).toBeLessThanOrEqual(100);
  expect(steps[values.findIndex(Number.isNaN)]).toBe(5_000);
});

test('a short curve stays as it is', () => {
  const { values } = thin(
    seriesOf(4, (at) => at),
    2,
  );
  expect([...values]).toEqual([0, 1, 2, 3]);
});

test('a series of any length takes bounded memory and keeps its extremes', () => {
  const series = seriesOf(1_100_000, (at) => (at === 3 ? 100 : at % 2));
  expect(series.length).toBeLessThan(2 ** 20 + 1);
  expect(Math.max(...thin(series, 1000).values)).toBe(100);
  expect(series.points().steps.at(-1)).toBe(1_099_999);
});

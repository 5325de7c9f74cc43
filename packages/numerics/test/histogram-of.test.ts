import { expect, test } from 'vitest';
import { histogramOf } from '../src/index.js';

test('values fall into 30 buckets of equal width, each value into one', () => {
  const values = Float32Array.from({ length: 100 }, (_, i) => i / 10);
  const { min, max, num, sum, sumSquares, counts, edges } = histogramOf(values);
  expect([min, max, num, counts.length, edges.length]).toEqual([0, values[99], 100, 30, 31]);
  expect(counts.reduce((a, b) => a + b)).toBe(100);
  expect(sum).toBeCloseTo(495, 3);
  expect(sumSquares).toBeCloseTo(3283.5, 1);
  counts.forEach((count, i) => {
    const inside = [...values].filter(
      (value) => value >= edges[i]! && (value < edges[i + 1]! || (i === 29 && value === max)),
    );
    expect(Math.abs(count - inside.length)).toBeLessThanOrEqual(1); // rounding at an edge
  });
});

test('the smallest and the largest value are in the first and the last bucket', () => {
  const { counts, edges } = histogramOf(Float32Array.of(-2, 4, 4, 1));
  expect([counts[0], counts.at(-1)]).toEqual([1, 2]);
  expect([edges[0], edges.at(-1)]).toEqual([-2, 4]);
});

test('equal values make one bucket', () => {
  expect(histogramOf(Float32Array.of(2, 2, 2))).toMatchObject({ min: 2, max: 2, counts: [3], edges: [2, 2] });
});

test('the edges divide the range evenly, also far from zero and for tiny ranges', () => {
  for (const [low, high] of [
    [0, 30],
    [-1e-6, 2e-6],
    [1e6, 1e6 + 300],
  ] as const) {
    const { min, max, edges, counts } = histogramOf(Float32Array.of(low, high));
    const width = (max - min) / 30;
    edges.forEach((edge, i) => {
      expect(Math.abs(edge - (min + i * width))).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(high)));
    });
    expect(counts.reduce((a, b) => a + b)).toBe(2);
  }
});

test('sums are in double precision', () => {
  const values = new Float32Array(100_000).fill(0.1);
  values[0] = 1000;
  const { sum, sumSquares } = histogramOf(values);
  expect(sum).toBeCloseTo(1000 + 99_999 * Math.fround(0.1), 6);
  expect(sumSquares).toBeCloseTo(1e6 + 99_999 * Math.fround(0.1) ** 2, 4);
});

import { expect, test } from 'vitest';
import { countZeros, momentsOf, sumOfSquaredDifferences, sumOfSquares } from '../src/host-sums.js';
import { plain } from './plain-statistics.js';

/** Small whole numbers: every sum of them is exact, in whatever order. */
const numbers = (length: number) => Array.from({ length }, (_, i) => ((i * 7) % 5) - 2);

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 1000])('all of %i values are counted, and each once', (length) => {
  const values = numbers(length);
  const others = numbers(length + 3).slice(3);
  const squares = (of: number[]) => of.reduce((sum, value) => sum + value * value, 0);
  expect(sumOfSquares(Float32Array.from(values))).toBe(squares(values));
  expect(sumOfSquaredDifferences(Float32Array.from(values), Float32Array.from(others))).toBe(
    squares(values.map((value, i) => value - others[i]!)),
  );
  expect(countZeros(Float32Array.from(values)) / length).toBe(plain.zeros(values));
  const { min, max, mean, std } = momentsOf(Float32Array.from(values));
  expect([min, max, mean]).toEqual([plain.min(values), plain.max(values), plain.mean(values)]);
  expect(std).toBeCloseTo(plain.std(values), 12);
});

test('of no values there are no moments', () => {
  expect(momentsOf(new Float32Array())).toEqual({
    min: Number.NaN,
    max: Number.NaN,
    mean: Number.NaN,
    std: Number.NaN,
  });
});

test('zeros of both signs are zeros', () => {
  expect(countZeros(Float32Array.of(0, -0, 1e-45))).toBe(2);
});

test('the squares of the largest numbers do not overflow', () => {
  const largest = 3.4028234663852886e38;
  expect(sumOfSquares(Float32Array.of(largest, largest))).toBe(2 * largest * largest);
});

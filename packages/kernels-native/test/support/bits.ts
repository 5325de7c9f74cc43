import { expect } from 'vitest';

/** Every number the same to the bit; which of the many NaN it is, is not defined. */
export function expectBits(actual: Float32Array, expected: ArrayLike<number>, what = ''): void {
  expect(actual.length, `${what}: how many`).toBe(expected.length);
  const at = actual.findIndex((each, i) => !Object.is(each, Math.fround(expected[i]!)));
  if (at < 0) return;
  expect.fail(
    `${what}: number ${at} of ${actual.length} is ${actual[at]} instead of ${Math.fround(expected[at]!)}`,
  );
}

/** How many numbers of 32 bits lie between the two. Both NaN are none apart. */
export function ulpsBetween(actual: number, expected: number): number {
  if (Number.isNaN(actual) || Number.isNaN(expected)) return Object.is(actual, expected) ? 0 : Infinity;
  return Math.abs(place(actual) - place(Math.fround(expected)));
}

/** Its place among all numbers in order; both zeros have the same. */
function place(value: number): number {
  const bits = new Int32Array(Float32Array.of(value).buffer)[0]!;
  return bits >= 0 ? bits : -(bits & 0x7fffffff);
}

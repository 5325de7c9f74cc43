import { expect, it } from 'vitest';
import { fused } from './support/fused.js';
import { random, SPECIAL, specialFloats } from './support/numbers.js';

/** A number of 32 bits as a whole number of the smallest one. */
function units(value: number): bigint {
  const exponent = Math.max(-126, Math.floor(Math.log2(Math.abs(value) || 1)) - 1);
  return BigInt(value * 2 ** (23 - exponent)) << BigInt(exponent + 126);
}

/** a * b + c as a fraction of whole numbers, rounded once, half to even. Its unit is the square of the smallest number. */
function exactly(a: number, b: number, c: number): number {
  const sum = units(a) * units(b) + (units(c) << 149n);
  if (sum === 0n) return a * b + c;
  const size = sum < 0n ? -sum : sum;
  const bits = size.toString(2).length;
  // What lies below the 24th bit is lost, and everything below the smallest number.
  const lost = BigInt(Math.max(bits - 24, 149));
  const half = 1n << (lost - 1n);
  let kept = size >> lost;
  const rest = size & ((1n << lost) - 1n);
  if (rest > half || (rest === half && kept & 1n)) kept++;
  const value = Number(kept) * 2 ** Number(lost - 149n) * 2 ** -149;
  return Math.fround(sum < 0n ? -value : value);
}

it('the reference of these tests rounds once, as exact arithmetic does', () => {
  const next = random(1);
  const wrong: string[] = [];
  const number = (): number => Math.fround((next() - 0.5) * 2 ** Math.floor(next() * 40 - 20));
  for (let i = 0; i < 800; i++) {
    const [a, b] = [number(), number()];
    for (const c of [
      number(),
      Math.fround(-a * b),
      Math.fround(a * b * 2 ** 24),
      Math.fround(a * b * 2 ** -24),
    ]) {
      if (fused(a, b, c) !== exactly(a, b, c)) wrong.push(`${a} * ${b} + ${c}`);
    }
  }
  expect(wrong).toEqual([]);
});

it('the reference of these tests rounds once where 64 bits would round to a half first', () => {
  // 641 * 6700417 is 2^32 + 1, and 65535 * 65537 is 2^32 - 1: a little more and a little less than a half.
  const [more, less] = [6700417 * 2 ** -56, 65537 * 2 ** -56];
  expect(fused(641, more, 1)).toBe(1 + 2 ** -23);
  expect(Math.fround(641 * more + 1)).toBe(1);
  expect(fused(65535, less, 1 + 2 ** -23)).toBe(1 + 2 ** -23);
  expect(Math.fround(65535 * less + 1 + 2 ** -23)).toBe(1 + 2 ** -22);
  expect(fused(-641, more, -1)).toBe(-1 - 2 ** -23);
  expect(fused(-65535, less, -1 - 2 ** -23)).toBe(-1 - 2 ** -23);
});

it('the reference of these tests has the rules of zeros, infinities and NaN', () => {
  const wrong: string[] = [];
  for (const a of SPECIAL) {
    for (const b of SPECIAL) {
      for (const c of SPECIAL) {
        const isExact = [a, b, c].every(Number.isFinite);
        const expected = isExact ? exactly(a, b, c) : Math.fround(a * b + c);
        if (!Object.is(fused(a, b, c), expected)) wrong.push(`${a} * ${b} + ${c}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(specialFloats(200).some(Number.isNaN)).toBe(true);
});

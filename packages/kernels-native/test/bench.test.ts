import { describe, expect, it } from 'vitest';
import { call, kernels } from './support/bench.js';
import { expectBits, ulpsBetween } from './support/bits.js';
import { floats } from './support/numbers.js';

describe.skipIf(!kernels)('the bench of these tests', () => {
  const x = floats(10, 1);
  const values = { code: 1, n: 10 };

  it('sees a kernel that writes to what it should only read', () => {
    expect(() => call('unary', { inputs: { x, out: floats(10, 2) }, values })).toThrow(
      'unary wrote to its operand out, float 0',
    );
  });

  it('sees a kernel that writes behind what it was given', () => {
    expect(() => call('unary', { inputs: { x }, outputs: { out: 9 }, values })).toThrow(
      'unary wrote to the guards, at float',
    );
  });

  it('sees a kernel that writes where it reads, and was not told to', () => {
    const moved = { outputs: { out: 12 }, inputs: { x: floats(2, 1) }, values: { ...values, n: 2 } };
    expect(() => call('unary', { ...moved, same: { out: 'x' } })).toThrow('unary wrote to its operand x');
  });

  it('sees a kernel that computes nothing, and an argument that it does not have', () => {
    expect(() => call('unary', { inputs: { x }, outputs: { out: 10 }, values: { ...values, n: 0 } })).toThrow(
      'unary is computed',
    );
    expect(() => call('unary', { inputs: { x }, outputs: { out: 10 }, values: { ...values, m: 1 } })).toThrow(
      'no such arguments',
    );
  });
});

describe('the comparison of these tests', () => {
  it('tells one bit, the sign of zero, and NaN from a number', () => {
    const same = [1, -0, 0, Number.NaN];
    expect(() => expectBits(Float32Array.from(same), same)).not.toThrow();
    expect(() => expectBits(Float32Array.of(1 + 2 ** -23), [1])).toThrow('number 0 of 1');
    expect(() => expectBits(Float32Array.of(1, -0), [1, 0])).toThrow('number 1 of 2');
    expect(() => expectBits(Float32Array.of(Number.NaN), [1])).toThrow('NaN instead of 1');
    expect(() => expectBits(Float32Array.of(1, 2), [1])).toThrow('how many');
  });

  it('counts the numbers of 32 bits between two', () => {
    expect(ulpsBetween(1, 1 + 2 ** -23)).toBe(1);
    expect(ulpsBetween(-(2 ** -149), 2 ** -149)).toBe(2);
    expect(ulpsBetween(0, -0)).toBe(0);
    expect(ulpsBetween(Number.NaN, Number.NaN)).toBe(0);
    expect(ulpsBetween(Number.NaN, 1)).toBe(Number.POSITIVE_INFINITY);
  });
});

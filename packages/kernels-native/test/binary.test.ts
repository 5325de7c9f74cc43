import { describe, expect, it } from 'vitest';
import { columnSums } from './reference/rows.js';
import { call, kernels } from './support/bench.js';
import { expectBits } from './support/bits.js';
import { floats, SPECIAL, specialFloats } from './support/numbers.js';

const f = Math.fround;

const { max, min } = Math;

type Function = (a: number, b: number) => number;

/** In the order of their codes. */
const BINARY: Readonly<Record<string, Function>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  maximum: (a, b) => max(a, b),
  minimum: (a, b) => min(a, b),
  squaredDifference: (a, b) => f(a - b) * f(a - b),
  prelu: (a, b) => (a < 0 ? a * b : a),
  reluGradient: (a, b) => (Number.isNaN(b) ? b : b > 0 ? a : 0),
  sigmoidGradient: (a, b) => a * f(b * f(1 - b)),
  tanhGradient: (a, b) => a * f(1 - f(b * b)),
  eluGradient: (a, b) => (b >= 0 ? a : a * f(b + 1)),
  relu6Gradient: (a, b) => (Number.isNaN(b) ? b : b > 0 && b < 6 ? a : 0),
};
const NAMES = Object.keys(BINARY);

/** Sizes of up to three axes, and the steps of both operands along them. */
interface Steps {
  readonly n: readonly [number, number, number];
  readonly a: readonly [number, number, number];
  readonly b: readonly [number, number, number];
}

const reach = (n: readonly number[], steps: readonly number[]): number =>
  1 + n.reduce((sum, count, axis) => sum + (count - 1) * steps[axis]!, 0);

function run(name: string, a: Float32Array, b: Float32Array, s: Steps): Float32Array {
  const named = (prefix: string, [x, y, z]: readonly [number, number, number]) => ({
    [`${prefix}0`]: x,
    [`${prefix}1`]: y,
    [`${prefix}2`]: z,
  });
  const values = { code: NAMES.indexOf(name), ...named('n', s.n), ...named('a', s.a), ...named('b', s.b) };
  return call('binary', { inputs: { a, b }, outputs: { out: s.n[0] * s.n[1] * s.n[2] }, values }).out!;
}

function expected(name: string, a: Float32Array, b: Float32Array, { n, a: sa, b: sb }: Steps): Float32Array {
  return Float32Array.from({ length: n[0] * n[1] * n[2] }, (_, place) => {
    const axes = [Math.floor(place / n[2] / n[1]), Math.floor(place / n[2]) % n[1], place % n[2]];
    const at = (steps: readonly number[]): number => axes.reduce((sum, i, axis) => sum + i * steps[axis]!, 0);
    return BINARY[name]!(a[at(sa)]!, b[at(sb)]!);
  });
}

const row = (n: number): Steps => ({ n: [1, 1, n], a: [0, 0, 1], b: [0, 0, 1] });

const BROADCASTS: Readonly<Record<string, Steps>> = {
  'both whole': { n: [2, 3, 19], a: [57, 19, 1], b: [57, 19, 1] },
  'a row for all rows': { n: [2, 3, 19], a: [57, 19, 1], b: [0, 0, 1] },
  'a column': { n: [2, 3, 19], a: [57, 19, 1], b: [3, 1, 0] },
  'a column on the left': { n: [2, 3, 19], a: [3, 1, 0], b: [57, 19, 1] },
  'one number on the right': { n: [1, 4, 33], a: [0, 33, 1], b: [0, 0, 0] },
  'one number on the left': { n: [1, 4, 33], a: [0, 0, 0], b: [0, 33, 1] },
  'an axis in the middle': { n: [4, 3, 9], a: [27, 9, 1], b: [9, 0, 1] },
  'an outer product': { n: [1, 7, 9], a: [0, 1, 0], b: [0, 0, 1] },
  'rows apart from each other': { n: [2, 3, 5], a: [40, 11, 1], b: [23, 7, 1] },
};

describe.skipIf(!kernels)('binary', () => {
  it.each(NAMES)('%s has the right bits for every pair of kinds of numbers', (name) => {
    const values = [...SPECIAL, 0.5, 5.5, 6, 7];
    const a = Float32Array.from(values.flatMap((each) => values.map(() => each)));
    const b = Float32Array.from(values.flatMap(() => values));
    expectBits(run(name, a, b, row(a.length)), expected(name, a, b, row(a.length)), name);
  });

  it.each(NAMES)('%s has the right bits at every width around a vector', (name) => {
    for (const n of [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65]) {
      const [a, b] = [floats(n, 1, -7, 7), floats(n, 2, -7, 7)];
      expectBits(run(name, a, b, row(n)), expected(name, a, b, row(n)), `${name} of ${n}`);
    }
  });

  it.each(Object.keys(BROADCASTS))('broadcasts %s', (what) => {
    const s = BROADCASTS[what]!;
    const [a, b] = [specialFloats(reach(s.n, s.a), 3, 20), specialFloats(reach(s.n, s.b), 4, 20)];
    for (const name of NAMES) expectBits(run(name, a, b, s), expected(name, a, b, s), name);
  });

  it('may write over either of its operands', () => {
    const [a, b] = [floats(43, 5), floats(43, 6)];
    const values = { code: NAMES.indexOf('sub'), n0: 1, n1: 1, n2: 43, a2: 1, b2: 1 };
    const right = a.map((each, i) => each - b[i]!);
    expectBits(
      call('binary', { inputs: { b }, outputs: { out: a }, values, same: { a: 'out' } }).out!,
      right,
    );
    expectBits(
      call('binary', { inputs: { a }, outputs: { out: b }, values, same: { b: 'out' } }).out!,
      right,
    );
  });

  it('leaves a code that it does not know to the caller', () => {
    const memory = new Uint8Array(64).fill(0xaa);
    const attempt = kernels!.bind('binary', () => memory)(NAMES.length, 0, 16, 32, 1, 1, 4, 0, 0, 1, 0, 0, 1);
    expect(attempt).toBe(false);
    expect(memory.every((byte) => byte === 0xaa)).toBe(true);
  });
});

describe.skipIf(!kernels)('activationGradient', () => {
  const SLOPES = ['none', 'reluGradient', 'sigmoidGradient', 'tanhGradient', 'eluGradient', 'relu6Gradient'];

  const check = (code: number, height: number, width: number, numbers = floats): void => {
    const [dy, y] = [numbers(height * width, 7), numbers(height * width, 8)];
    const before = floats(height * width, 9);
    const slopes = code ? dy.map((each, i) => BINARY[SLOPES[code]!]!(each, y[i]!)) : dy;
    const values = { code, height, width };
    const { dz, bias } = call('activationGradient', {
      inputs: { dy, y },
      outputs: { dz: before, bias: width },
      values,
    });
    expectBits(dz!, code ? slopes : before, `${SLOPES[code]}, ${height} x ${width}`);
    expectBits(bias!, columnSums(slopes, height, width), `the sums of ${height} rows`);
    const alone = call('activationGradient', { inputs: { dy, y }, outputs: { dz: before }, values });
    expectBits(alone.dz!, dz!, 'without sums');
  };

  it.each(SLOPES)('%s: the gradient, and its sum over rows for the bias', (name) => {
    const code = SLOPES.indexOf(name);
    for (const width of [1, 7, 8, 9, 16, 17, 33]) check(code, 3, width);
    for (const height of [1, 127, 128, 129, 257]) check(code, height, 5);
    check(code, 9, 11, specialFloats);
  });

  it('leaves a code that it does not know to the caller', () => {
    const memory = new Uint8Array(256).fill(0xaa);
    expect(kernels!.bind('activationGradient', () => memory)(6, 0, 64, 128, 192, 2, 4)).toBe(false);
    expect(memory.every((byte) => byte === 0xaa)).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { relu } from './reference/relu.js';
import { call, kernels } from './support/bench.js';
import { expectBits, ulpsBetween } from './support/bits.js';
import { UNARY, unary } from './support/functions.js';
import { floats, SPECIAL, specialFloats } from './support/numbers.js';

const f = Math.fround;
const { NaN: nan, POSITIVE_INFINITY: infinity } = Number;
/** As f32x4.max and f32x4.min of WebAssembly: NaN stays, and -0 is less than 0, as in JavaScript. */
const { max, min } = Math;

/** Functions whose every step is rounded as the processor does it: these bits, and no others. */
const EXACT: Readonly<Record<string, (x: number, a: number, b: number) => number>> = {
  abs: (x) => Math.abs(x),
  neg: (x) => -x,
  square: (x) => f(x * x),
  sqrt: (x) => f(Math.sqrt(x)),
  rsqrt: (x) => f(1 / f(Math.sqrt(x))),
  reciprocal: (x) => f(1 / x),
  relu,
  relu6: (x) => min(relu(x), 6),
  leakyRelu: (x, a) => (x < 0 ? f(x * a) : x),
  clip: (x, a, b) => min(max(x, a), b),
  step: (x, a) => (Number.isNaN(x) ? x : x > 0 ? 1 : a),
  sign: (x) => (x > 0 ? 1 : x < 0 ? -1 : 0),
  powHalf: (x) => f(x ** 0.5),
};

const softplus = (x: number): number => max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

/** Functions that are approximated: the right one, and by how many numbers of 32 bits a result may be beside it. */
const CLOSE: Readonly<Record<string, { right: (x: number, a: number, b: number) => number; ulps: number }>> =
  {
    exp: { right: (x) => Math.exp(x), ulps: 2 },
    log: { right: (x) => Math.log(x), ulps: 2 },
    tanh: { right: (x) => Math.tanh(x), ulps: 3 },
    sigmoid: { right: (x) => 1 / (1 + Math.exp(-x)), ulps: 4 },
    softplus: { right: softplus, ulps: 4 },
    elu: { right: (x) => (x < 0 ? Math.expm1(x) : x), ulps: 4 },
    selu: { right: (x, a, b) => (x < 0 ? b * Math.expm1(x) : a * x), ulps: 5 },
  };

/** In numbers of 32 bits. What is denormal may become zero: one over an exp that is infinite does. */
const distance = (actual: number, right: number): number =>
  max(Math.abs(actual), Math.abs(right)) < 2 ** -126 ? 0 : ulpsBetween(actual, right);

/** From the smallest to the largest, evenly over the exponents, both signs. */
const EVERYWHERE = Float32Array.from({ length: 2 * 276 * 8 }, (_, i) => {
  const size = 2 ** (Math.floor(i / 2) / 8 - 149) * (1 + (i % 7) / 50);
  return i % 2 ? -size : size;
}).filter(Number.isFinite);

describe.skipIf(!kernels)('unary', () => {
  it('has a test for every code, and leaves a code that it does not know to the caller', () => {
    expect([...Object.keys(EXACT), ...Object.keys(CLOSE)].sort()).toEqual([...UNARY].sort());
    const memory = new Uint8Array(64);
    const run = kernels!.bind('unary', () => memory);
    expect(run(UNARY.length - 1, 0, 32, 4, 0, 0)).toBe(true);
    memory.fill(0xaa);
    expect(run(UNARY.length, 0, 32, 4, 0, 0)).toBe(false);
    expect(memory.every((byte) => byte === 0xaa)).toBe(true);
  });

  it.each(Object.keys(EXACT))('%s has the right bits for every kind of number', (name) => {
    for (const x of [floats(100, 1), EVERYWHERE, Float32Array.from(SPECIAL)]) {
      const expected = x.map((each) => EXACT[name]!(each, f(-0.3), f(0.7)));
      expectBits(unary(name, x, f(-0.3), f(0.7)), expected, name);
    }
  });

  it.each(Object.keys(CLOSE))('%s is as close to the right number as it says', (name) => {
    const { right, ulps } = CLOSE[name]!;
    const [a, b] = [f(1.0507), f(1.7581)];
    for (const x of [
      floats(4000, 2, -12, 12),
      floats(2000, 3, -1, 1),
      floats(2000, 4, -104, 89),
      EVERYWHERE,
    ]) {
      const y = unary(name, x, a, b);
      const worst = y.reduce((most, each, i) => max(most, distance(each, right(x[i]!, a, b))), 0);
      expect(worst, `${name} is off by so many`).toBeLessThanOrEqual(ulps);
    }
  });

  it.each([
    [
      'exp',
      [-infinity, -104, -200, 0, -0, 89, 200, infinity, nan],
      [0, 0, 0, 1, 1, infinity, infinity, infinity, nan],
    ],
    ['log', [0, -0, 1, -1, -infinity, infinity, nan], [-infinity, -infinity, 0, nan, nan, infinity, nan]],
    // The sum that begins with 0 takes the sign of -0 away, as it does in WebAssembly.
    ['tanh', [0, -0, 30, -30, infinity, -infinity, nan], [0, 0, 1, -1, 1, -1, nan]],
    ['sigmoid', [0, 100, -infinity, infinity, nan], [0.5, 1, 0, 1, nan]],
    ['softplus', [-infinity, infinity, 100, nan], [0, infinity, 100, nan]],
    ['elu', [0, -0, -infinity, infinity, nan], [0, -0, -1, infinity, nan]],
    ['powHalf', [-infinity, infinity, -0, -1, nan], [infinity, infinity, 0, nan, nan]],
  ])('%s has its limits', (name, x, expected) => {
    expectBits(unary(name, Float32Array.from(x)), expected, name);
  });

  it.each(UNARY)('%s gives a number the same bits wherever it is in a row', (name) => {
    const x = specialFloats(67, 5);
    const whole = unary(name, x, 0.5, 2);
    for (const n of [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64]) {
      expectBits(unary(name, x.slice(0, n), 0.5, 2), whole.slice(0, n), `the first ${n}`);
      expectBits(unary(name, x.slice(67 - n), 0.5, 2), whole.slice(67 - n), `the last ${n}`);
    }
  });

  it.each(UNARY)('%s may write where it reads', (name) => {
    const x = floats(37, 6, 0.1, 3);
    const values = { code: UNARY.indexOf(name), n: 37, a: 0.5, b: 2 };
    const { out } = call('unary', { outputs: { out: x }, values, same: { x: 'out' } });
    expectBits(out!, unary(name, x, 0.5, 2), name);
  });
});

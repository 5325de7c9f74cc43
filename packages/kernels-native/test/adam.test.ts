import { describe, it } from 'vitest';
import { call, kernels } from './support/bench.js';
import { expectBits } from './support/bits.js';
import { floats, specialFloats } from './support/numbers.js';

const f = Math.fround;

const RATES = {
  ...{ beta1: f(0.9), rest1: f(0.1), beta2: f(0.999), rest2: f(0.001), epsilon: f(1e-7) },
  ...{ size: f(0.01), decay: 0, keep: 1 },
};

type State = Record<'p' | 'm' | 'v', Float32Array>;

/** Denormal averages become zero: they would make every later step slow. */
const settled = (x: number): number => (Math.abs(x) < 2 ** -126 ? 0 : x);

/** Every product and every sum is rounded. */
function adam({ p, m, v }: State, g: Float32Array, rates: typeof RATES): State {
  const after = { p: p.slice(), m: m.slice(), v: v.slice() };
  for (let i = 0; i < p.length; i++) {
    const slope = rates.decay === 0 ? g[i]! : f(g[i]! + f(p[i]! * rates.decay));
    const mean = settled(f(f(m[i]! * rates.beta1) + f(slope * rates.rest1)));
    const power = settled(f(f(v[i]! * rates.beta2) + f(f(slope * slope) * rates.rest2)));
    const step = f(f(mean / f(f(Math.sqrt(power)) + rates.epsilon)) * rates.size);
    const kept = rates.keep === 1 ? p[i]! : f(p[i]! * rates.keep);
    [after.m[i], after.v[i], after.p[i]] = [mean, power, kept - step];
  }
  return after;
}

describe.skipIf(!kernels)('adam', () => {
  const check = (before: State, g: Float32Array, rates: typeof RATES, what: string): State => {
    const outputs = call('adam', { inputs: { g }, outputs: before, values: { n: g.length, ...rates } });
    const expected = adam(before, g, rates);
    for (const name of ['p', 'm', 'v'] as const)
      expectBits(outputs[name]!, expected[name], `${name}, ${what}`);
    return expected;
  };
  const start = (n: number): State => ({ p: floats(n, 1), m: floats(n, 2), v: floats(n, 3, 0, 2) });

  it('steps with the right bits, for every number of weights around a vector', () => {
    for (const n of [1, 2, 7, 8, 9, 15, 16, 17, 33, 100])
      check(start(n), floats(n, 4), RATES, `${n} weights`);
  });

  it.each([
    ['decays weights through their gradient', { decay: f(0.01) }],
    ['decays weights beside their gradient', { keep: f(0.99) }],
    ['decays both ways', { decay: f(0.01), keep: f(0.99) }],
    ['takes no step of size 0', { size: 0 }],
  ])('%s', (what, changes) => {
    for (const n of [5, 16, 21]) check(start(n), floats(n, 4), { ...RATES, ...changes }, what);
  });

  it('takes step after step from where it stopped', () => {
    let state: State = { p: floats(19, 1), m: new Float32Array(19), v: new Float32Array(19) };
    for (let step = 0; step < 5; step++) state = check(state, floats(19, 10 + step), RATES, `step ${step}`);
  });

  it('lets averages that are denormal become zero', () => {
    const tiny = new Float32Array(9).fill(2 ** -126);
    const after = check(
      { p: floats(9, 1), m: tiny, v: tiny },
      new Float32Array(9),
      RATES,
      'nothing to learn',
    );
    expectBits(after.m, new Float32Array(9));
    expectBits(after.v, new Float32Array(9));
  });

  it('keeps special numbers in their places', () => {
    const special = { p: specialFloats(50, 5), m: specialFloats(50, 6), v: specialFloats(50, 7) };
    check(special, specialFloats(50, 8), RATES, 'special numbers');
  });
});

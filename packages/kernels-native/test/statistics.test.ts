import { describe, expect, it } from 'vitest';
import { statistics, sumOf } from './reference/statistics.js';
import { call, kernels } from './support/bench.js';
import { floats, SPECIAL } from './support/numbers.js';

/** Around a vector, and around the numbers that are summed side by side. */
const COUNTS = [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100, 4097];

const doublesOf = (bytes: Float32Array) => [...new Float64Array(bytes.slice().buffer)];

function statisticsOf(x: Float32Array): number[] {
  return doublesOf(call('statistics', { inputs: { x }, outputs: { out: 14 }, values: { n: x.length } }).out!);
}

/** Differences of these have squares that are exact as doubles, so that it does not matter where they are rounded. */
const coarse = (count: number, seed: number) => floats(count, seed).map((x) => Math.round(x * 256) / 256);

describe.skipIf(!kernels)('sumOfSquares', () => {
  const squaresOf = (x: Float32Array) =>
    doublesOf(call('sumOfSquares', { inputs: { x }, outputs: { out: 2 }, values: { n: x.length } }).out!)[0];

  it('has the right bits, for every number of numbers', () => {
    for (const count of COUNTS) {
      const x = floats(count, 3);
      expect(squaresOf(x), `${count}`).toBe(
        sumOf(
          [...x].map((each) => each * each),
          16,
        ),
      );
    }
  });

  it('is NaN where a number is NaN, and infinite where one is infinite', () => {
    for (let place = 0; place < 20; place++) {
      expect(squaresOf(floats(20).with(place, Number.NaN))).toBeNaN();
      expect(squaresOf(floats(20).with(place, -Infinity))).toBe(Infinity);
    }
  });
});

describe.skipIf(!kernels)('statistics', () => {
  it('have the right bits, for every number of numbers', () => {
    for (const count of COUNTS) {
      const x = floats(count, 5);
      expect(statisticsOf(x), `${count}`).toEqual(statistics([...x]));
    }
  });

  it('leave out what is not finite, and still count it in the sum of squares', () => {
    for (const special of SPECIAL) {
      for (const place of [0, 7, 15, 16, 20]) {
        const x = floats(21, 9).with(place, special);
        expect(statisticsOf(x), `${special} at ${place}`).toEqual(statistics([...x]));
      }
    }
  });

  it('know no smallest and no largest where nothing is finite', () => {
    const [, finite, zeros, least, most, sum, deviations] = statisticsOf(Float32Array.of(NaN, Infinity));
    expect([finite, zeros, least, most, sum, deviations]).toEqual([0, 0, Infinity, -Infinity, 0, 0]);
  });

  it('count zeros of both signs, and write them without one', () => {
    const found = statisticsOf(Float32Array.from({ length: 19 }, (_, i) => (i % 2 ? 0 : -0)));
    expect(found).toEqual([0, 19, 19, 0, 0, 0, 0]);
  });

  it('know the deviation of numbers that lie close together and far from zero', () => {
    const x = floats(5000, 4, 1000, 1000.01);
    expect(statisticsOf(x)).toEqual(statistics([...x]));
    expect(statisticsOf(new Float32Array(99).fill(0.1))[6]).toBeLessThan(1e-25);
  });
});

describe.skipIf(!kernels)('movement', () => {
  it('has the right bits: of what was before, and of how far it has moved', () => {
    for (const count of COUNTS) {
      const [before, after] = [coarse(count, 1), coarse(count, 2)];
      const inputs = { before, after };
      const { out } = call('movement', { inputs, outputs: { out: 4 }, values: { n: count } });
      const ways = [...after].map((each, i) => each - before[i]!);
      const expected = [[...before].map((each) => each * each), ways.map((way) => way * way)].map((terms) =>
        sumOf(terms, 8),
      );
      expect(doublesOf(out!), `${count}`).toEqual(expected);
    }
  });
});

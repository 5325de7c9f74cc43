import { expect, test } from 'vitest';
import { type PlateauOptions, plateau } from '../../src/schedules/plateau.js';

/** The factor after each value. */
function factors(options: PlateauOptions, values: readonly number[]): number[] {
  const { start, next } = plateau(options);
  let state = start;
  return values.map((value) => {
    state = next(state, value);
    return state.factor;
  });
}

test('the rate is cut when the metric was no better more often than patience allows', () => {
  expect(factors({ patience: 2, factor: 0.5 }, [1, 1, 1, 1, 1, 1, 1])).toEqual([
    1, 1, 1, 0.5, 0.5, 0.5, 0.25,
  ]);
  expect(factors({ patience: 0, factor: 0.5 }, [1, 0.9, 0.9, 0.8, 0.8])).toEqual([1, 1, 0.5, 0.5, 0.25]);
});

test('a better value resets the wait', () => {
  expect(factors({ patience: 1, factor: 0.1 }, [1, 1, 0.9, 0.9, 0.8, 0.8, 0.8])).toEqual([
    1, 1, 1, 1, 1, 1, 0.1,
  ]);
});

test('better is more than the threshold, as a share or as a difference', () => {
  const values = [100, 99.5, 99];
  const options = { patience: 0, factor: 0.5 };
  expect(factors({ ...options, threshold: 0.01 }, values)).toEqual([1, 0.5, 0.25]);
  expect(factors({ ...options, threshold: 0.001 }, values)).toEqual([1, 1, 1]);
  const absolute = { ...options, thresholdMode: 'absolute' } as const;
  expect(factors({ ...absolute, threshold: 0.6 }, values)).toEqual([1, 0.5, 0.5]);
  expect(factors({ ...absolute, threshold: 0.1 }, values)).toEqual([1, 1, 1]);
});

test('a share of the best value is rounded as in PyTorch', () => {
  // 0.05 * (1 - 0.1) is 0.045000000000000005, and 0.01 * (1 + 0.1) is 0.011000000000000001.
  expect(factors({ patience: 0, factor: 0.5, threshold: 0.1 }, [0.05, 0.045])).toEqual([1, 1]);
  expect(factors({ mode: 'max', patience: 0, factor: 0.5, threshold: 0.1 }, [0.01, 0.011])).toEqual([1, 0.5]);
});

test('mode max waits for higher values', () => {
  expect(factors({ mode: 'max', patience: 0, factor: 0.5 }, [0.5, 0.6, 0.6, 0.7])).toEqual([1, 1, 0.5, 0.5]);
});

test('a negative metric has to get better, too', () => {
  expect(factors({ patience: 0, factor: 0.5, threshold: 0.1 }, [-10, -10.5, -9.5, -12])).toEqual([
    1, 0.5, 0.25, 0.25,
  ]);
});

test('nothing counts while it cools down', () => {
  expect(factors({ patience: 0, factor: 0.5, cooldown: 2 }, [1, 1, 1, 1, 1])).toEqual([
    1, 0.5, 0.5, 0.5, 0.25,
  ]);
});

test('the factor has a lower limit', () => {
  expect(factors({ patience: 0, factor: 0.1, min: 0.05 }, [1, 1, 1, 1])).toEqual([1, 0.1, 0.05, 0.05]);
});

test('NaN is never better', () => {
  const nan = Number.NaN;
  expect(factors({ patience: 1, factor: 0.5 }, [nan, 1, nan, nan, 0.5])).toEqual([1, 1, 1, 0.5, 0.5]);
});

test('an infinite value is never the best one, so that the next finite one is better', () => {
  const below = Number.NEGATIVE_INFINITY;
  expect(factors({ patience: 0, factor: 0.5 }, [below, 5, 4])).toEqual([0.5, 0.5, 0.5]);
  const { start, next } = plateau({ patience: 3 });
  expect(next(next(start, below), 5)).toMatchObject({ best: 5, waited: 0 });
});

test('what it remembers survives JSON, before the first value too', () => {
  const { start, next } = plateau({ patience: 1, factor: 0.5, cooldown: 1 });
  let [kept, saved] = [start, start];
  for (const value of [Number.NaN, 1, 1, 1, 1, 1, 0.5]) {
    kept = next(kept, value);
    saved = next(JSON.parse(JSON.stringify(saved)), value);
    expect(saved).toEqual(kept);
  }
  expect(kept.factor).toBeLessThan(1);
});

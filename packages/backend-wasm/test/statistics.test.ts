import type { TensorStatistics } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { wasmAccelerator } from '../src/accelerator/accelerator.js';
import { enableTraining } from '../src/index.js';
import { numbers, on } from './backends.js';

const { movement } = wasmAccelerator;

const statistics = (values: readonly number[]): Promise<TensorStatistics> =>
  on('wasm', () => wasmAccelerator.statistics(tf.tensor1d([...values]))!);

/** The same, the slow and obvious way. */
function plain(given: readonly number[]): TensorStatistics {
  const values = [...Float32Array.from(given)];
  const sum = (terms: readonly number[]) => terms.reduce((total, term) => total + term, 0);
  const squares = (terms: readonly number[]) => sum(terms.map((term) => term * term));
  const finite = values.filter(Number.isFinite);
  const mean = sum(finite) / finite.length;
  return {
    sumSquares: squares(values),
    finite: finite.length,
    zeros: values.filter((value) => value === 0).length,
    min: finite.length > 0 ? Math.min(...finite) : Number.NaN,
    max: finite.length > 0 ? Math.max(...finite) : Number.NaN,
    mean,
    std: Math.sqrt(squares(finite.map((value) => value - mean)) / finite.length),
  };
}

/** Counts and extremes are exact; sums differ by the order of their terms, relative to the size of those. */
function expectSame(actual: TensorStatistics, given: readonly number[]): void {
  const expected = plain(given);
  for (const exact of ['finite', 'zeros', 'min', 'max'] as const) expect(actual[exact]).toBe(expected[exact]);
  const size = plain(given.filter(Number.isFinite).map(Math.abs)).mean;
  const near = (name: keyof TensorStatistics, scale: number) => {
    if (!Number.isFinite(expected[name])) expect(actual[name]).toBe(expected[name]);
    else expect(Math.abs(actual[name] - expected[name])).toBeLessThanOrEqual(1e-12 * scale);
  };
  near('sumSquares', expected.sumSquares);
  near('mean', size);
  near('std', expected.std);
}

const SIZES = [...Array.from({ length: 18 }, (_, i) => i + 1), 127, 1000, 4099];

function random(size: number, seed: number, offset = 0, scale = 1): number[] {
  const next = numbers(seed);
  return Array.from({ length: size }, () =>
    next() < 0.2 && offset === 0 ? 0 : offset + (next() - 0.5) * scale,
  );
}

describe.each([true, false])('statistics, with fma %s', (fma) => {
  beforeAll(async () => {
    await enableTraining({ fma });
  });

  it('find a value that is not finite wherever it stands', async () => {
    const allFinite = (values: Float32Array) =>
      on('wasm', () => wasmAccelerator.allFinite(tf.tensor1d(values)));
    for (const size of SIZES.slice(0, 18)) {
      const values = Float32Array.from({ length: size }, (_, i) => [3.4e38, -3.4e38, -0, 1e-45][i % 4]!);
      expect(await allFinite(values)).toBe(true);
      for (let place = 0; place < size; place++) {
        for (const bad of [Number.NaN, Infinity, -Infinity])
          expect(await allFinite(values.with(place, bad))).toBe(false);
      }
    }
  });

  it('are those of plain arithmetic in doubles, for tensors of every length', async () => {
    for (const size of SIZES) {
      const values = random(size, size);
      expectSame(await statistics(values), values);
    }
  });

  it('leave out NaN and infinities, wherever they are, and count them', async () => {
    for (const size of [1, 4, 5, 7, 22]) {
      for (let place = 0; place < size; place++) {
        for (const [bad, offset] of [
          [Number.NaN, 0],
          [Infinity, 5],
          [-Infinity, -5],
        ] as const) {
          const values = random(size, place + 1, offset);
          values[place] = bad;
          if (place % 3 === 0) values[size - 1] = bad;
          expectSame(await statistics(values), values);
        }
      }
    }
  });

  it('say that the norm is NaN where a value is, and infinite where one is', async () => {
    const squares = async (...values: number[]) => (await statistics(values)).sumSquares;
    expect(await squares(1, Infinity, 2, 3, 4)).toBe(Infinity);
    expect(await squares(1, 2, 3, 4, -Infinity)).toBe(Infinity);
    expect(await squares(Infinity, 2, Number.NaN, 4, 5)).toBeNaN();
    expect(await squares(Infinity, 2, 3, 4, Number.NaN)).toBeNaN();
  });

  it('are exact where floats are too small or too large to be squared', async () => {
    for (const scale of [1e-44, 1e-30, 1e30, 6e38]) {
      const values = random(101, 5, 0, scale);
      expectSame(await statistics(values), values);
    }
  });

  it('know the deviation of values that lie close together and far from zero', async () => {
    const values = random(4099, 3, 1000, 0.01);
    expectSame(await statistics(values), values);
    expect((await statistics(Array<number>(999).fill(0.1))).std).toBeLessThan(1e-13);
    const spoilt = [...values.slice(0, 50), Number.NaN];
    expectSame(await statistics(spoilt), spoilt);
  });

  it('tell how far a tensor has moved', async () => {
    for (const size of SIZES) {
      const [before, after] = [random(size, size), random(size, size + 1)];
      const measured = await on('wasm', () => movement(tf.tensor1d(before), tf.tensor1d(after))!);
      const moved = before.map((value, i) => Math.fround(after[i]!) - Math.fround(value));
      expect(measured.before).toBeCloseTo(plain(before).sumSquares, 10);
      expect(measured.change).toBeCloseTo(
        moved.reduce((sum, each) => sum + each * each, 0),
        10,
      );
    }
    const tiny = await on('wasm', () => movement(tf.ones([6]), tf.fill([6], 1 + 2 ** -23)));
    expect(tiny).toEqual({ before: 6, change: 6 * 2 ** -46 });
  });

  it('make no tensor, and leave integers to somebody else', async () => {
    await on('wasm', () => {
      const [x, y] = [tf.tensor1d([1, 2, 3], 'int32'), tf.tensor1d([1, 2, 3])];
      const { numTensors, numBytes } = tf.memory();
      expect(wasmAccelerator.statistics(x)).toBeUndefined();
      expect(movement(x, y)).toBeUndefined();
      expect(wasmAccelerator.statistics(y)).toBeDefined();
      expect(movement(y, y)).toEqual({ before: 14, change: 0 });
      expect(tf.memory()).toMatchObject({ numTensors, numBytes });
    });
  });
});

import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { BackendWasmError, enableTraining } from '../src/index.js';
import { MOVEMENT, STATISTICS } from '../src/kernels/statistics.js';
import { numbers, on } from './backends.js';

function run(kernel: string, inputs: tf.NamedTensorMap, count: number): number[] {
  const into = new Float64Array(count);
  const attrs = { into } as unknown as tf.NamedAttrMap;
  tf.getKernel(kernel, 'wasm').kernelFunc({ inputs, attrs, backend: tf.backend() });
  return [...into];
}

const statistics = (values: readonly number[]): Promise<number[]> =>
  on('wasm', () => run(STATISTICS, { x: tf.tensor1d([...values]) }, 7));

/** The same, the slow and obvious way. */
function plain(given: readonly number[]): number[] {
  const values = [...Float32Array.from(given)];
  const sum = (terms: readonly number[]) => terms.reduce((total, term) => total + term, 0);
  const squares = (terms: readonly number[]) => sum(terms.map((term) => term * term));
  const finite = values.filter(Number.isFinite);
  const mean = sum(finite) / finite.length;
  return [
    squares(values),
    finite.length,
    values.filter((value) => value === 0).length,
    Math.min(...finite),
    Math.max(...finite),
    sum(finite),
    squares(finite.map((value) => value - mean)),
  ];
}

/** Counts and extremes are exact; sums differ by the order of their terms, relative to the size of those. */
function expectSame(actual: readonly number[], given: readonly number[]): void {
  const expected = plain(given);
  expect(actual.slice(1, 5)).toEqual(expected.slice(1, 5));
  const size = plain(given.filter(Number.isFinite).map(Math.abs))[5]!;
  const near = (index: number, scale: number) => {
    if (!Number.isFinite(expected[index]!)) expect(actual[index]).toBe(expected[index]);
    else expect(Math.abs(actual[index]! - expected[index]!)).toBeLessThanOrEqual(1e-12 * scale);
  };
  near(0, expected[0]!);
  near(5, size);
  near(6, expected[6]!);
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
  }, 60_000);

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
    const squares = async (...values: number[]) => (await statistics(values))[0];
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
    expect((await statistics(Array<number>(999).fill(0.1)))[6]).toBeLessThan(1e-24);
    const spoilt = [...values.slice(0, 50), Number.NaN];
    expectSame(await statistics(spoilt), spoilt);
  });

  it('tell how far a tensor has moved', async () => {
    for (const size of SIZES) {
      const [before, after] = [random(size, size), random(size, size + 1)];
      const [squares, change] = await on('wasm', () =>
        run(MOVEMENT, { before: tf.tensor1d(before), after: tf.tensor1d(after) }, 2),
      );
      const moved = before.map((value, i) => Math.fround(after[i]!) - Math.fround(value));
      expect(squares).toBeCloseTo(plain(before)[0]!, 10);
      expect(change).toBeCloseTo(
        moved.reduce((sum, each) => sum + each * each, 0),
        10,
      );
    }
    const [, tiny] = await on('wasm', () =>
      run(MOVEMENT, { before: tf.ones([6]), after: tf.fill([6], 1 + 2 ** -23) }, 2),
    );
    expect(tiny).toBe(6 * 2 ** -46);
  });

  it('make no tensor, and refuse what is not of floats', async () => {
    await on('wasm', () => {
      const x = tf.tensor1d([1, 2, 3], 'int32');
      const { numTensors, numBytes } = tf.memory();
      expect(() => run(STATISTICS, { x }, 7)).toThrow(BackendWasmError);
      expect(() => run(MOVEMENT, { before: x, after: x }, 2)).toThrow('int32');
      run(STATISTICS, { x: tf.tensor1d([1]) }, 7);
      expect(tf.memory()).toMatchObject({ numTensors: numTensors + 1, numBytes: numBytes + 4 });
    });
  });
});

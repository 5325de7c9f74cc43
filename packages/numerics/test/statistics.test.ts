import '@tensorflow/tfjs-backend-cpu';
import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { provideAccelerator } from '../src/index.js';
import {
  countNonFinite,
  countZeros,
  hostMovement,
  hostStatistics,
  momentsOf,
  movementOf,
  NO_MOMENTS,
  rangeOf,
  statisticsOf,
  sumOfSquares,
  sumsOf,
} from '../src/statistics.js';

const EVERYTHING = { zeros: true, moments: true };
const LARGEST = 3.4028234663852886e38;

/** Small whole numbers: every sum of them is exact, in whatever order. */
const wholeNumbers = (length: number) => Array.from({ length }, (_, i) => ((i * 7) % 5) - 2);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const squares = (values: readonly number[]) => sum(values.map((value) => value * value));

beforeAll(() => {
  Object.assign(tf.findBackend('cpu'), { firstUse: false }); // prints no advertisement
  setWasmPaths(dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm')) + sep);
});

describe('the statistics of values in memory', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 1000])('count each of %i values once', (length) => {
    const values = wholeNumbers(length);
    const floats = Float32Array.from(values);
    const others = wholeNumbers(length + 3).slice(3);
    expect(sumOfSquares(floats)).toBe(squares(values));
    expect(sumsOf(floats)).toEqual({ sum: sum(values), sumSquares: squares(values) });
    expect(countZeros(floats)).toBe(values.filter((value) => value === 0).length);
    expect(rangeOf(floats)).toEqual({ min: Math.min(...values), max: Math.max(...values) });
    expect(hostMovement(Float32Array.from(others), floats)).toEqual({
      before: squares(others),
      change: squares(values.map((value, i) => value - others[i]!)),
    });
    const { min, max, mean, std } = momentsOf(floats);
    expect([min, max, mean]).toEqual([Math.min(...values), Math.max(...values), sum(values) / length]);
    const deviations = values.map((value) => (value - sum(values) / length) ** 2);
    expect(std).toBeCloseTo(Math.sqrt(sum(deviations) / length), 12);
  });

  test('of no values there are no moments and no range', () => {
    expect(momentsOf(new Float32Array())).toEqual(NO_MOMENTS);
    expect(rangeOf(new Float32Array())).toEqual({ min: Number.NaN, max: Number.NaN });
    expect(hostStatistics(new Float32Array(), EVERYTHING)).toEqual({
      ...{ sumSquares: 0, finite: 0, zeros: 0 },
      ...NO_MOMENTS,
    });
  });

  test('zeros of both signs are zeros, and the smallest numbers are not', () => {
    expect(countZeros(Float32Array.of(0, -0, 1e-45))).toBe(2);
  });

  test('the squares of the largest numbers do not overflow', () => {
    expect(sumOfSquares(Float32Array.of(LARGEST, LARGEST))).toBe(2 * LARGEST * LARGEST);
    expect(hostStatistics(Float32Array.of(LARGEST, -LARGEST), EVERYTHING).finite).toBe(2);
  });

  test('a spread that is tiny beside the mean is not lost', () => {
    // 1e4 and 1e4 + 2 ** -10 in turn: the sum of squares alone would say that they do not vary.
    const values = Float32Array.from({ length: 1000 }, (_, i) => 10_000 + (i % 2) * 2 ** -10);
    expect(momentsOf(values).std).toBeCloseTo(2 ** -11, 12);
  });

  test('NaN and infinities are counted; moments are those of the finite values', () => {
    const values = Float32Array.of(Number.NaN, 1, Infinity, 3, -Infinity, 0);
    expect(countNonFinite(values)).toBe(3);
    expect(hostStatistics(values, EVERYTHING)).toMatchObject({
      ...{ sumSquares: Number.NaN, finite: 3, zeros: 1 },
      ...{ min: 0, max: 3, mean: 4 / 3 },
    });
    expect(hostStatistics(Float32Array.of(-Infinity, 1), EVERYTHING).sumSquares).toBe(Infinity);
  });

  test('a range skips NaN but not infinity', () => {
    expect(rangeOf(Float32Array.of(Number.NaN, -1, Infinity))).toEqual({ min: -1, max: Infinity });
    expect(rangeOf(Float32Array.of(Number.NaN))).toEqual({ min: Number.NaN, max: Number.NaN });
  });

  test('what is not asked for is not computed', () => {
    const { zeros, ...rest } = hostStatistics(Float32Array.of(0, 1), { zeros: false, moments: false });
    expect(zeros).toBeNaN();
    expect(rest).toEqual({ sumSquares: 1, finite: 2, ...NO_MOMENTS });
  });
});

describe.each(['cpu', 'wasm'] as const)('the statistics of a tensor on %s', (backend) => {
  beforeEach(async () => void (await tf.setBackend(backend)));

  test('are those of its values', () => {
    const values = Float32Array.from({ length: 1003 }, (_, i) => Math.sin(i * i) * (i % 7 === 0 ? 0 : 3));
    const tensor = tf.tensor(values, [17, 59]);
    const found = statisticsOf(tensor, EVERYTHING);
    const expected = hostStatistics(values, EVERYTHING);
    for (const name of Object.keys(expected) as (keyof typeof expected)[]) {
      expect(found[name], name).toBeCloseTo(expected[name], 9);
    }
    tensor.dispose();
  });

  test('leave the tensor as it is and make no other', () => {
    const tensor = tf.tensor1d([1, Number.NaN, 0]);
    const { numTensors } = tf.memory();
    expect(statisticsOf(tensor, EVERYTHING)).toMatchObject({ finite: 2, zeros: 1, min: 0, max: 1 });
    expect(tf.memory().numTensors).toBe(numTensors);
    expect([...tensor.dataSync()]).toEqual([1, Number.NaN, 0]);
    tensor.dispose();
  });

  test('are found for whole numbers and booleans too', () => {
    const whole = tf.tensor1d([0, -2, 5], 'int32');
    expect(statisticsOf(whole, EVERYTHING)).toMatchObject({ sumSquares: 29, zeros: 1, min: -2, max: 5 });
    const truths = tf.tensor1d([true, false, true], 'bool');
    expect(statisticsOf(truths, EVERYTHING)).toMatchObject({ sumSquares: 2, zeros: 1, mean: 2 / 3 });
    tf.dispose([whole, truths]);
  });

  test('tell how far it has moved', () => {
    const [before, after] = [tf.tensor2d([[3, 4, 0]]), tf.tensor2d([[3, 5, 2]])];
    expect(movementOf(before, after)).toEqual({ before: 25, change: 5 });
    tf.dispose([before, after]);
  });
});

describe('an accelerator', () => {
  const restore: (() => void)[] = [];
  afterEach(() => restore.splice(0).forEach((each) => void each()));

  test('is asked first, and where it cannot answer the values are looked at', async () => {
    await tf.setBackend('cpu');
    const asked: string[] = [];
    const fast = { sumSquares: 1, finite: 1, zeros: 0, min: 1, max: 1, mean: 1, std: 0 };
    const none = () => undefined;
    restore.push(
      provideAccelerator('cpu', {
        ...{ loss: none, norm: none, allFinite: none, update: () => false },
        statistics: ({ size }) => {
          asked.push(`statistics of ${size}`);
          return size === 1 ? fast : undefined;
        },
        movement: ({ size }) => {
          asked.push(`movement of ${size}`);
          return undefined;
        },
      }),
    );
    const [one, two] = [tf.tensor1d([9]), tf.tensor1d([9, 0])];
    expect(statisticsOf(one, EVERYTHING)).toBe(fast);
    expect(statisticsOf(two, EVERYTHING).sumSquares).toBe(81);
    expect(movementOf(two, two)).toEqual({ before: 81, change: 0 });
    expect(asked).toEqual(['statistics of 1', 'statistics of 2', 'movement of 2']);
    tf.dispose([one, two]);
  });
});

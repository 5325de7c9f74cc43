import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deviceStatistics } from '../../src/measure/device-statistics.js';
import { hostStatistics } from '../../src/measure/host-statistics.js';
import {
  deadOf,
  merged,
  normOf,
  ONLY_SUMS,
  type Statistics,
  stdOf,
  type Wanted,
} from '../../src/measure/statistics.js';

const EVERYTHING: Wanted = { range: true, alive: true, sample: true };
const VALUES = Array.from({ length: 60 }, (_, i) => (i % 4 === 2 ? 0 : Math.sin(i * i) * 3));

type Measure = (tensor: tf.Tensor, wanted: Wanted, positions?: Int32Array) => Statistics;

const onHost: Measure = (tensor, wanted, positions) => hostStatistics(tensor, wanted, positions);
const onDevice: Measure = (tensor, wanted, positions) => {
  const { numbers, interpret } = deviceStatistics(tensor, wanted, positions);
  const statistics = interpret(numbers.dataSync<'float32'>());
  numbers.dispose();
  return statistics;
};

/** Measures a tensor and disposes it. */
function measured(
  measure: Measure,
  values: number[],
  shape: number[],
  wanted: Wanted = EVERYTHING,
): Statistics {
  const tensor = tf.tensor(values, shape, 'float32');
  const found = measure(tensor, wanted);
  tensor.dispose();
  return found;
}

afterAll(() => useBackend());

describe.each([
  ['on cpu', 'cpu', onHost],
  ['on wasm, where the accelerator is asked', 'wasm', onHost],
  ['on a device', 'cpu', onDevice],
] as const)('%s', (_name, backend, measure) => {
  beforeAll(() => useBackend(backend));

  test('statistics are those of plain arithmetic', () => {
    const found = measured(measure, VALUES, [15, 4]);
    const mean = VALUES.reduce((a, b) => a + b) / 60;
    expect(found).toMatchObject({
      count: 60,
      zeros: VALUES.filter((value) => value === 0).length,
      nonFinite: 0,
    });
    expect(found.mean).toBeCloseTo(mean, 5);
    expect(found.min).toBeCloseTo(Math.min(...VALUES), 6);
    expect(found.max).toBeCloseTo(Math.max(...VALUES), 6);
    expect(stdOf(found)).toBeCloseTo(Math.sqrt(VALUES.reduce((sum, v) => sum + (v - mean) ** 2, 0) / 60), 5);
    expect(normOf(found)).toBeCloseTo(Math.hypot(...VALUES), 4);
  });

  test('a unit is dead when it is 0 for every sample, whatever its sign', () => {
    const found = measured(measure, VALUES, [15, 4]);
    expect([...found.alive!]).toEqual([1, 1, 0, 1]);
    expect(deadOf(found)).toBe(0.25);
    expect(deadOf(measured(measure, [0, -0, 0, 1e-30], [2, 2]))).toBe(0.5);
    expect(deadOf(measured(measure, [0, 0], [2]))).toBe(1);
  });

  test('NaN and infinity show in every number, and are counted', () => {
    const found = measured(measure, [1, Number.NaN, Infinity, 0], [2, 2]);
    expect(found).toMatchObject({ count: 4, nonFinite: 2, zeros: 1 });
    expect(found.mean).toBeNaN();
    expect(normOf(found)).toBeNaN();
    expect(measured(measure, [1, -Infinity, 3], [3])).toMatchObject({ nonFinite: 1, min: -Infinity, max: 3 });
  });

  test('equal values have no spread', () => {
    const found = measured(measure, Array(1000).fill(0.1), [1000]);
    expect(stdOf(found)).toBeCloseTo(0, 5);
    expect(found.mean).toBeCloseTo(0.1, 6);
  });

  test('the sample is the values at the positions, or all of them', () => {
    const tensor = tf.tensor1d([5, 6, 7, 8]);
    const wanted = { ...ONLY_SUMS, sample: true };
    expect([...measure(tensor, wanted, Int32Array.of(3, 0)).sample!]).toEqual([8, 5]);
    const all = measure(tensor, wanted).sample!;
    expect([...all]).toEqual([5, 6, 7, 8]);
    tensor.dispose();
    expect([...all]).toEqual([5, 6, 7, 8]); // a copy
  });

  test('whole numbers and booleans are measured as numbers', () => {
    const whole = tf.tensor2d([[0, -2, 5]], [1, 3], 'int32');
    expect(measure(whole, EVERYTHING)).toMatchObject({
      mean: expect.closeTo(1, 6),
      min: -2,
      max: 5,
      zeros: 1,
    });
    const truths = tf.tensor1d([true, false], 'bool');
    expect(measure(truths, ONLY_SUMS)).toMatchObject({ mean: 0.5, zeros: 1 });
    tf.dispose([whole, truths]);
  });

  test('no tensor is left behind', () => {
    const { numTensors } = tf.memory();
    measured(measure, VALUES, [60]);
    measured(measure, [Number.NaN], []);
    expect(tf.memory().numTensors).toBe(numTensors);
  });
});

describe('the calls of a layer, taken together', () => {
  beforeAll(() => useBackend());
  const parts = [VALUES.slice(0, 8), VALUES.slice(8, 40), VALUES.slice(40)];

  test('are measured as one tensor of all their values', () => {
    const together = parts
      .map((part) => measured(onHost, part, [part.length / 4, 4]))
      .reduce<Statistics | undefined>((sum, part) => merged(sum, part), undefined)!;
    const whole = measured(onHost, VALUES, [15, 4]);
    expect(together).toMatchObject({ count: 60, zeros: whole.zeros, min: whole.min, max: whole.max });
    expect(together.mean).toBeCloseTo(whole.mean, 12);
    expect(together.squares).toBeCloseTo(whole.squares, 10);
    expect([...together.sample!]).toEqual([...whole.sample!]);
  });

  test('a unit is alive when it is in one of them', () => {
    const [a, b] = [measured(onHost, [0, 1, 0], [1, 3]), measured(onHost, [1, 0, 0], [1, 3])];
    expect(deadOf(merged(a, b))).toBeCloseTo(1 / 3, 12);
  });

  test('a long sequence does not pile up samples', () => {
    const call = measured(onHost, Array(1000).fill(1), [1000]);
    let all: Statistics | undefined;
    for (let i = 0; i < 100; i++) all = merged(all, call);
    expect(all!.count).toBe(100_000);
    expect(all!.sample!.length).toBeLessThan(2 * 4096);
  });
});

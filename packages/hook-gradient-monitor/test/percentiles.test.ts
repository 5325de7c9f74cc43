import { expect, test } from 'vitest';
import { Percentiles } from '../src/measure/percentiles.js';
import { plain } from './plain-statistics.js';

const PERCENTILES = [0, 0.1, 10, 25, 50, 75, 90, 99.9, 100];

/** The same numbers in every run. */
function sequence(length: number, make: (random: () => number) => number): Float32Array {
  let state = 12345;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return Float32Array.from({ length }, () => make(random));
}

const CASES: Record<string, Float32Array> = {
  'of both signs': sequence(4096, (random) => random() - random()),
  'over many magnitudes': sequence(4096, (random) => (random() - 0.5) * 10 ** (random() * 60 - 40)),
  'half zeros': sequence(1001, (random) => (random() < 0.5 ? 0 : random() - 0.5)),
  'few and equal': sequence(500, (random) => Math.floor(random() * 3) - 1),
  'all negative': sequence(777, (random) => -random()),
  'all zero': new Float32Array(64),
  'zeros of both signs': Float32Array.of(0, -0, 0, -0, 1),
  'two values': Float32Array.of(5, -5),
  'one value': Float32Array.of(-0.25),
  denormal: Float32Array.of(1e-45, -1e-45, 3e-45, 0),
};

// One for all cases: what it keeps of one must not show in the next.
const percentiles = new Percentiles(PERCENTILES);

test.each(Object.entries(CASES))('percentiles are those of the sorted values: %s', (_name, values) => {
  const before = [...values];
  const expected = PERCENTILES.map((percentile) => plain.percentile(before, percentile));
  expect(percentiles.of(values).map((value) => value + 0)).toEqual(expected.map((value) => value + 0));
  expect([...values]).toEqual(before);
});

test('percentiles of a thousand random samples of all sizes are those of the sorted values', () => {
  const next = sequence(3000, (random) => random());
  for (let i = 0; i < 1000; i++) {
    const length = 1 + Math.floor(next[3 * i]! ** 3 * 600);
    const [scale, offset] = [10 ** (next[3 * i + 1]! * 20 - 10), next[3 * i + 2]! * 3 - 1];
    // Rounded in every other sample, so that values are equal.
    const round = (value: number) => (i % 2 === 0 ? value : Math.round(value * 8) / 8);
    const values = sequence(length, (random) => round(random() - random() + offset) * scale);
    const expected = PERCENTILES.map((percentile) => plain.percentile([...values], percentile) + 0);
    expect(percentiles.of(values).map((value) => value + 0)).toEqual(expected);
  }
});

test('they may be asked for in any order, and twice', () => {
  expect(new Percentiles([100, 0, 50, 100]).of(Float32Array.of(3, 1, 2))).toEqual([3, 1, 2, 3]);
  expect(new Percentiles([]).of(Float32Array.of(3, 1, 2))).toEqual([]);
});

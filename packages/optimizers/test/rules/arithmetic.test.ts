import { numbers, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Arithmetic, tensorArithmetic } from '../../src/rules/arithmetic.js';
import { arrayArithmetic } from '../../src/rules/array-arithmetic.js';

const special = [0, -0, 1, -1, 1e-40, 3e38, -3e38, Infinity, -Infinity, Number.NaN, 0.1, 1 / 3];
const a = Float32Array.from([...special, ...numbers(200, 1).map((value) => value * 100)]);
const b = Float32Array.from([...special.toReversed(), ...numbers(200, 2)]);

type Compute = <Values>(math: Arithmetic<Values>, a: Values, b: Values) => Values;

const operations: [string, Compute][] = [
  ['add', (math, a, b) => math.add(a, b)],
  ['sub', (math, a, b) => math.sub(a, b)],
  ['mul', (math, a, b) => math.mul(a, b)],
  ['div', (math, a, b) => math.div(a, b)],
  ['blend', (math, a, b) => math.blend(a, b, 0.9)],
  ['scale by a number that float32 must round', (math, a) => math.scale(a, 0.1)],
  ['shift by a number that float32 must round', (math, a) => math.shift(a, 1 / 3)],
  ['sqrt', (math, a) => math.sqrt(a)],
  ['sign', (math, a) => math.sign(a)],
  ['relu', (math, a) => math.relu(a)],
  ['a chain, rounded at each step', (math, a, b) => math.div(math.add(math.scale(a, 0.9), b), math.sqrt(b))],
];

beforeAll(() => useBackend('cpu'));

describe('arrays give the bits of the cpu backend', () => {
  test.each(operations)('%s', (_name, compute) => {
    const math = tensorArithmetic();
    const tensors = compute<tf.Tensor>(math, tf.tensor1d(a), tf.tensor1d(b));
    expect([...compute(arrayArithmetic(a.length), a, b)]).toEqual([...tensors.dataSync()]);
    math.dispose();
  });

  test('and leave their operands alone', () => {
    const [before, other] = [a.slice(), b.slice()];
    for (const [, compute] of operations) expect(compute(arrayArithmetic(a.length), a, b)).not.toBe(a);
    expect([a, b]).toEqual([before, other]);
  });
});

test('small arrays are used again after reuse(), and never twice before it', () => {
  const math = arrayArithmetic(2);
  const [one, two] = [Float32Array.of(1, 1), Float32Array.of(2, 2)];
  const first = math.add(one, two);
  expect(math.mul(first, first)).not.toBe(first);
  math.reuse();
  expect(math.sub(one, two)).toBe(first);
});

test('large arrays are not kept: they would hold several times the memory of the parameter', () => {
  const math = arrayArithmetic(10_000);
  const ones = new Float32Array(10_000).fill(1);
  const first = math.add(ones, ones);
  math.reuse();
  expect(math.add(ones, ones)).not.toBe(first);
});

test('a number becomes a tensor once, and is disposed with the arithmetic', () => {
  const x = tf.tensor1d([1]);
  const before = tf.memory().numTensors;
  const math = tensorArithmetic();
  tf.tidy(() => {
    for (let i = 0; i < 5; i++) math.add(math.scale(x, 0.5), math.shift(x, 0.5));
  });
  expect(tf.memory().numTensors - before).toBe(1);
  math.dispose();
  expect(tf.memory().numTensors).toBe(before);
});

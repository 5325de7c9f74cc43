import { outcomeOn, REFUSED_OPERATIONS, someEqual, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { correctKernels, correctTfjs } from '../../src/index.js';
import { computed, registerStrictBackend } from './strict-backend.js';

type Outcome = Awaited<ReturnType<typeof outcomeOn>>;

const names = Object.keys(REFUSED_OPERATIONS);
const stock: Record<string, Outcome | undefined> = {};

beforeAll(async () => {
  await useBackend('cpu');
  // The gradients first, so that only kernels differ.
  correctTfjs();
  registerStrictBackend();
  for (const name of names) {
    stock[name] = await outcomeOn('tensorflow', REFUSED_OPERATIONS[name]!).catch(() => undefined);
  }
  correctKernels();
});

test.each(names)('is computed as on cpu, although TensorFlow does not: %s', async (name) => {
  const expected = await outcomeOn('cpu', REFUSED_OPERATIONS[name]!);
  expect(stock[name] && close(stock[name], expected)).not.toBe(true);
  const actual = await outcomeOn('tensorflow', REFUSED_OPERATIONS[name]!);
  expect(close(actual, expected)).toBe(true);
  expect(actual.left).toBe(0);
});

/** The same with a filter that learns. */
const FILTERED: Readonly<Record<string, [number[], (x: tf.Tensor4D, filter: tf.Tensor) => tf.Tensor]>> = {
  'a number as padding': [[3, 3, 2, 3], (x, filter) => tf.conv2d(x, filter as tf.Tensor4D, 2, 1)],
  'explicit padding': [
    [3, 2, 2, 3],
    (x, filter) =>
      tf.conv2d(x, filter as tf.Tensor4D, 1, [
        [0, 0],
        [2, 0],
        [1, 3],
        [0, 0],
      ]),
  ],
  'a depthwise filter and a number as padding': [
    [3, 3, 2, 1],
    (x, filter) => tf.depthwiseConv2d(x, filter as tf.Tensor4D, 1, 1),
  ],
  'a depthwise filter and unequal strides': [
    [3, 3, 2, 1],
    (x, filter) => tf.depthwiseConv2d(x, filter as tf.Tensor4D, [1, 2], 'same'),
  ],
  'a dilated depthwise filter': [
    [2, 2, 2, 2],
    (x, filter) => tf.depthwiseConv2d(x, filter as tf.Tensor4D, 1, 'same', 'NHWC', 2),
  ],
};

test.each(Object.keys(FILTERED))('a filter has the gradient that it has on cpu, with %s', async (name) => {
  const [shape, compute] = FILTERED[name]!;
  const gradientOn = async (backend: string) => {
    await tf.setBackend(backend);
    return tf.tidy(() => {
      const x = someEqual<tf.Tensor4D>([1, 8, 7, 2]);
      const loss = (filter: tf.Tensor) => tf.sum(tf.square(compute(x, filter)));
      return [...tf.grad(loss)(someEqual(shape)).dataSync()];
    });
  };
  const expected = await gradientOn('cpu');
  const actual = await gradientOn('tensorflow');
  expect(expected.some((each) => each !== 0)).toBe(true);
  expect(largest(actual.map((each, i) => each - expected[i]!))).toBeLessThan(1e-3 * largest(expected));
});

describe('what TensorFlow computes itself', () => {
  test.each([
    ['Conv2D', (x: tf.Tensor4D) => tf.conv2d(x, someEqual([3, 3, 2, 3]), 2, 'same')],
    ['DepthwiseConv2dNative', (x: tf.Tensor4D) => tf.depthwiseConv2d(x, someEqual([3, 3, 2, 1]), 1, 'valid')],
    ['AvgPool', (x: tf.Tensor4D) => tf.avgPool(x, 3, 2, 'same')],
    ['MaxPool', (x: tf.Tensor4D) => tf.maxPool(x, 2, 2, 'valid')],
    ['GatherV2', (x: tf.Tensor4D) => tf.gather(x, tf.tensor1d([0], 'int32'), 3)],
    ['Einsum', (x: tf.Tensor4D) => tf.einsum('bhwc->bc', x)],
  ] as const)('stays with it: %s', async (kernel, compute) => {
    await tf.setBackend('tensorflow');
    const x = someEqual<tf.Tensor4D>([1, 8, 7, 2]);
    const before = new Map(computed);
    tf.dispose(tf.tidy(() => compute(x)));
    x.dispose();
    const calls = [...computed].filter(([name, count]) => count !== before.get(name)).map(([name]) => name);
    // Nothing is padded, spelled out or sliced for it. Some cpu kernels call others.
    expect(calls).toContain(kernel);
    for (const composed of ['PadV2', 'Slice', 'Concat']) expect(calls).not.toContain(composed);
  });
});

test('tf.multinomial gives the same samples for the same seed, also of probabilities', async () => {
  await tf.setBackend('tensorflow');
  const odds = tf.tensor1d([0.1, 0.5, 0.3, 0.1]);
  const sample = (seed: number) => [...tf.tidy(() => tf.multinomial(odds, 40, seed, true)).dataSync()];
  expect(sample(7)).toEqual(sample(7));
  expect(sample(8)).not.toEqual(sample(7));
});

test('what is left to cpu leaves nothing behind there', async () => {
  await tf.setBackend('tensorflow');
  const cpu = tf.findBackend('cpu');
  const before = cpu.numDataIds();
  tf.dispose(tf.tidy(() => tf.avgPool(someEqual<tf.Tensor4D>([1, 8, 7, 2]), 3, 1, 1)));
  expect(cpu.numDataIds()).toBe(before);
});

test('a second call changes nothing', () => {
  const before = tf.getKernelsForBackend('tensorflow');
  correctKernels();
  expect(tf.getKernelsForBackend('tensorflow')).toEqual(before);
});

function close(actual: Outcome, expected: Outcome): boolean {
  if (String(actual.shape) !== String(expected.shape)) return false;
  return largest(actual.numbers.map((each, i) => each - expected.numbers[i]!)) < 1e-4;
}

function largest(values: readonly number[]): number {
  return Math.max(...values.map(Math.abs));
}

import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { correctTfjs } from '../../src/index.js';

/** Functions of one number that save their result for their gradient, with their second derivative. */
const FUNCTIONS: [string, (x: tf.Tensor) => tf.Tensor, (x: number) => number][] = [
  ['exp', tf.exp, Math.exp],
  ['tanh', tf.tanh, (x) => -2 * Math.tanh(x) * (1 - Math.tanh(x) ** 2)],
  ['sigmoid', tf.sigmoid, (x) => logistic(x) * (1 - logistic(x)) * (1 - 2 * logistic(x))],
  ['elu below 0', tf.elu, (x) => (x < 0 ? Math.exp(x) : 0)],
];

const X = [-1.5, -0.2, 0.7];

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

function second(compute: (x: tf.Tensor) => tf.Tensor): number[] {
  const first = tf.grad((x) => tf.sum(compute(x)));
  return [
    ...tf
      .grad((x) => tf.sum(first(x)))(tf.tensor1d(X))
      .dataSync(),
  ];
}

function expectClose(found: readonly number[], expected: readonly number[]): void {
  expect(found).toHaveLength(expected.length);
  for (const [i, value] of expected.entries()) expect(found[i]).toBeCloseTo(value, 4);
}

describe.each(['cpu', 'wasm'] as const)('a gradient of a gradient, on %s', (backend) => {
  beforeEach(async () => {
    await useBackend(backend);
    correctTfjs();
  });

  test.each(FUNCTIONS)('goes through what %s has saved', (_name, compute, derivative) => {
    expectClose(second(compute), X.map(derivative));
  });

  test('goes through several of them in a row', () => {
    // exp(tanh(x)): (1 - t^2)^2 e^t - 2 t (1 - t^2) e^t
    const expected = X.map((x) => {
      const t = Math.tanh(x);
      return Math.exp(t) * ((1 - t * t) ** 2 - 2 * t * (1 - t * t));
    });
    expectClose(
      second((x) => tf.exp(tf.tanh(x))),
      expected,
    );
  });

  test('goes through a result that is used again', () => {
    // y = exp(x); y * y has the second derivative 4 exp(2 x).
    const used = (x: tf.Tensor) => {
      const y = tf.exp(x);
      return tf.mul(y, y);
    };
    expectClose(
      second(used),
      X.map((x) => 4 * Math.exp(2 * x)),
    );
  });

  test('a first gradient has the bits that it had, and a second call of correctTfjs changes nothing', () => {
    const gradients = () =>
      FUNCTIONS.flatMap(([, compute]) => [...tf.grad(compute)(tf.tensor1d(X)).dataSync()]);
    const before = gradients();
    const { addTapeNode } = tf.engine() as unknown as { addTapeNode: unknown };
    correctTfjs();
    expect((tf.engine() as unknown as { addTapeNode: unknown }).addTapeNode).toBe(addTapeNode);
    expect(gradients()).toEqual(before);
  });
});

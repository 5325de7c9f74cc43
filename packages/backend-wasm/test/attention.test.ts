import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { attention, enableTraining } from '../src/index.js';
import { on } from './backends.js';
import type { Case } from './cases/case.js';
import { differences, distance, slopeErrors } from './compare.js';

beforeAll(async () => {
  // Both are compiled here, where there is time for it.
  await enableTraining({ fma: false });
  await enableTraining({ fma: true });
});

/** batch, time, keys, heads, depth, width, causal. */
const SIZES: readonly [number, number, number, number, number, number, boolean][] = [
  [2, 5, 5, 1, 4, 4, false],
  [2, 5, 5, 1, 4, 4, true],
  [3, 7, 4, 2, 5, 3, false],
  [1, 1, 1, 3, 1, 2, true],
  [2, 32, 32, 4, 16, 16, false],
  [2, 33, 33, 2, 13, 12, true],
  [1, 3, 300, 1, 2, 9, false],
];

const CASES: readonly Case[] = SIZES.map(([batch, time, keys, heads, depth, width, causal]) => ({
  name: `${batch} x ${time} x ${keys}, ${heads} heads of ${depth} and ${width}${causal ? ', causal' : ''}`,
  inputs: [
    { shape: [batch, time, heads * depth] },
    { shape: [batch, keys, heads * depth] },
    { shape: [batch, keys, heads * width] },
  ],
  run: (query, key, value) =>
    attention(query as tf.Tensor3D, key as tf.Tensor3D, value as tf.Tensor3D, { heads, causal }),
}));

describe('attention', () => {
  it.each([true, false])(
    'in one kernel gives what its operations give on cpu, and gradients, fma %s',
    async (fma) => {
      await enableTraining({ fma });
      expect(await differences(CASES)).toEqual([]);
      await enableTraining({ fma: true });
    },
  );

  it('has gradients that finite differences confirm', async () => {
    for (const each of CASES) for (const error of await slopeErrors(each)) expect(error).toBeLessThan(5e-3);
  });

  it('keeps NaN, in the rows that it reaches', async () => {
    const rows = await on('wasm', () => {
      const x = tf.tensor3d([1, 2, 3], [1, 3, 1]);
      return [...attention(tf.tensor3d([1, Number.NaN, 3], [1, 3, 1]), x, x).dataSync()];
    });
    expect(rows.map(Number.isNaN)).toEqual([false, true, false]);
  });

  it('has second derivatives, operation by operation', async () => {
    const penalty = (backend: 'cpu' | 'wasm') =>
      on(backend, () => {
        const x = tf.tensor3d([0.1, 0.7, -0.3, 0.5, 0.2, -0.9], [1, 3, 2]);
        const slope = (at: tf.Tensor) =>
          tf.grad((input) => tf.sum(attention(input as tf.Tensor3D, x, x)))(at as tf.Tensor3D);
        return [
          ...tf
            .grad((at) => tf.sum(tf.square(slope(at))))(x)
            .dataSync(),
        ];
      });
    const [expected, actual] = [await penalty('cpu'), await penalty('wasm')];
    expect(distance(actual, expected)).toBeLessThan(1e-5);
  });

  const MISFITS: Readonly<Record<string, [number[], number[], number[], object?]>> = {
    'heads that do not divide the rows': [[1, 2, 3], [1, 2, 3], [1, 2, 3], { heads: 2 }],
    'heads that do not divide the values': [[1, 2, 4], [1, 2, 4], [1, 2, 3], { heads: 2 }],
    'no heads': [[1, 2, 4], [1, 2, 4], [1, 2, 4], { heads: 0 }],
    'half a head': [[1, 2, 4], [1, 2, 4], [1, 2, 4], { heads: 0.5 }],
    'heads that are fewer than none': [[1, 2, 4], [1, 2, 4], [1, 2, 4], { heads: -2 }],
    'keys of another batch': [
      [1, 2, 4],
      [2, 2, 4],
      [2, 2, 4],
    ],
    'values of another batch': [
      [1, 2, 4],
      [1, 2, 4],
      [2, 2, 4],
    ],
    'more keys than values': [
      [1, 2, 4],
      [1, 3, 4],
      [1, 2, 4],
    ],
    'keys of another depth': [
      [1, 2, 4],
      [1, 2, 5],
      [1, 2, 4],
    ],
    'rows without a batch': [
      [2, 4],
      [2, 4],
      [2, 4],
    ],
    'other rows than keys, causal': [[1, 2, 3], [1, 4, 3], [1, 4, 3], { causal: true }],
  };

  it.each(Object.entries(MISFITS))('says what fits when something does not: %s', async (_name, given) => {
    const [query, key, value, options] = given;
    const shapes = [query, key, value].map((shape) => `[${shape}]`).join(', ');
    for (const backend of ['cpu', 'wasm'] as const) {
      const run = () => {
        const [q, k, v] = [query, key, value].map((shape) =>
          tf.zeros<tf.Rank.R3>(shape as [number, number, number]),
        );
        return attention(q!, k!, v!, options);
      };
      await expect(on(backend, run)).rejects.toMatchObject({
        code: 'UNSUPPORTED',
        message: expect.stringMatching(/ heads.*Expected \[batch, time, heads \* depth\]/s),
      });
      await expect(on(backend, run)).rejects.toThrow(shapes);
    }
  });

  it('of nothing is nothing, and of a single key its value', async () => {
    await on('wasm', () => {
      const none = tf.zeros([2, 0, 4]) as tf.Tensor3D;
      expect(attention(none, none, none, { heads: 2 }).shape).toEqual([2, 0, 4]);
      const x = tf.tensor3d([1, 2, 3], [1, 3, 1]);
      const one = tf.ones([1, 1, 1]) as tf.Tensor3D;
      expect([...attention(x, one, tf.fill<tf.Rank.R3>([1, 1, 1], 7)).dataSync()]).toEqual([7, 7, 7]);
    });
  });
});

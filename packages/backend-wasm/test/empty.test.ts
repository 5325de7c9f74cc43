import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import { on } from './backends.js';
import { dirtied, emptyCases } from './cases/empty.js';
import { differences } from './compare.js';

beforeAll(async () => {
  await enableTraining();
});

const { sum, mean, max, min, prod, any, all } = tf;
const REDUCTIONS = { sum, mean, max, min, prod, any, all };

describe('tensors without numbers', () => {
  it('give what cpu gives, with gradients, and leave nothing behind', async () => {
    expect(await differences(emptyCases())).toEqual([]);
  });

  // What TensorFlow gives; cpu has 0 for most of these.
  const INT = [-(2 ** 31), 2 ** 31 - 1] as const;
  it.each([
    ['sum', 'float32', 0],
    ['mean', 'float32', Number.NaN],
    ['max', 'float32', Number.NEGATIVE_INFINITY],
    ['min', 'float32', Number.POSITIVE_INFINITY],
    ['prod', 'float32', 1],
    ['sum', 'int32', 0],
    ['mean', 'int32', Number.NaN],
    ['max', 'int32', INT[0]],
    ['min', 'int32', INT[1]],
    ['prod', 'int32', 1],
    ['mean', 'bool', Number.NaN],
    ['max', 'bool', 0],
    ['min', 'bool', 1],
    ['any', 'bool', 0],
    ['all', 'bool', 1],
  ] as const)('%s of %s over an axis without elements is %d everywhere', async (name, dtype, neutral) => {
    const reduce = REDUCTIONS[name] as (x: tf.Tensor, axis?: number[], keepDims?: boolean) => tf.Tensor;
    const found = await on('wasm', () =>
      (
        [
          [[0], undefined],
          [[0, 2], 0],
          [[2, 0], 1],
          [
            [2, 0, 3],
            [1, 2],
          ],
          [[3, 0], 0],
        ] as const
      ).flatMap(([shape, axis]) =>
        [false, true].map((keepDims) => {
          const result = dirtied(() =>
            reduce(tf.zeros([...shape], dtype), axis === undefined ? axis : [axis].flat(), keepDims),
          );
          return [...result.dataSync()];
        }),
      ),
    );
    const counts = [1, 1, 2, 2, 2, 2, 2, 2, 0, 0];
    expect(found).toEqual(counts.map((count) => new Array(count).fill(neutral)));
  });

  it('a product over a depth of none is zero, or the bias with its activation', async () => {
    const results = await on('wasm', () => {
      const [a, b] = [tf.zeros([2, 0]) as tf.Tensor2D, tf.zeros([0, 3]) as tf.Tensor2D];
      const bias = tf.tensor1d([1, -2, 3]);
      return [
        tf.matMul(a, b),
        tf.fused.matMul({ a, b, bias }),
        tf.fused.matMul({ a, b, bias, activation: 'relu' }),
      ].map((tensor) => [...tensor.dataSync()]);
    });
    expect(results).toEqual([
      [0, 0, 0, 0, 0, 0],
      [1, -2, 3, 1, -2, 3],
      [1, 0, 3, 1, 0, 3],
    ]);
  });

  it('a mean of nothing has an empty gradient', async () => {
    const gradient = await on('wasm', () => tf.grad((x) => tf.mean(x))(tf.zeros([0, 2])).shape);
    expect(gradient).toEqual([0, 2]);
  });

  it('empty tensors can be made, kept and disposed of any number of times', async () => {
    await on('wasm', () => {
      const before = tf.memory();
      for (let i = 0; i < 100; i++) {
        const x = tf.zeros([0, 7]);
        tf.dispose([tf.add(x, 1), tf.clone(x), x]);
      }
      expect(tf.memory()).toEqual(before);
    });
  });

  it('a filter that is larger than its images is refused by name, not computed with fewer than no rows', async () => {
    const refusal = {
      code: 'UNSUPPORTED',
      message: expect.stringContaining('at least 3 rows and 3 columns'),
    };
    const convolve = (height: number) => () =>
      tf.conv2d(
        tf.zeros([2, height, 5, 2]) as tf.Tensor4D,
        tf.zeros([3, 3, 2, 4]) as tf.Tensor4D,
        1,
        'valid',
      );
    await expect(on('wasm', convolve(0))).rejects.toMatchObject(refusal);
    await expect(on('wasm', convolve(1))).rejects.toMatchObject(refusal);
    expect(await on('wasm', () => convolve(2)().shape)).toEqual([2, 0, 3, 4]);
  });
});

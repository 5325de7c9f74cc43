import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { correctTfjs } from '../../src/index.js';

const { NaN: nan, NEGATIVE_INFINITY: below, POSITIVE_INFINITY: above } = Number;

type Reduce = (x: tf.Tensor, axis?: number | number[], keepDims?: boolean) => tf.Tensor;
const REDUCTIONS: [string, Reduce, tf.DataType, number][] = [
  ['mean', tf.mean, 'float32', nan],
  ['max', tf.max, 'float32', below],
  ['min', tf.min, 'float32', above],
  ['max', tf.max, 'int32', -(2 ** 31)],
  ['min', tf.min, 'int32', 2 ** 31 - 1],
  ['max', tf.max, 'bool', 0],
  ['min', tf.min, 'bool', 1],
  ['all', tf.all, 'bool', 1],
  // These are right in stock, and have to stay so.
  ['sum', tf.sum, 'float32', 0],
  ['any', tf.any, 'bool', 0],
];

// With a part that stays, with several axes that go, and with nothing but empty axes.
const AXES: [number[], number | number[] | undefined, number[], number[]][] = [
  [[3, 0], 1, [3], [3, 1]],
  [[0, 3], 0, [3], [1, 3]],
  [[2, 0, 3], [1, 2], [2], [2, 1, 1]],
  [[0], undefined, [], [1]],
  [[0, 0], [0, 1], [], [1, 1]],
];

describe.each(['cpu', 'wasm'] as const)('on %s', (backend) => {
  test.each(REDUCTIONS)('%s of nothing', async (_name, reduce, dtype, expected) => {
    await useBackend(backend);
    correctTfjs();
    for (const [shape, axis, reduced, kept] of AXES) {
      const x = tf.zeros(shape, dtype as 'float32');
      for (const [result, wanted] of [
        [reduce(x, axis), reduced],
        [reduce(x, axis, true), kept],
      ] as const) {
        expect(result.shape, `${shape} over ${axis}`).toEqual(wanted);
        const size = tf.util.sizeFromShape([...wanted]);
        expect([...result.dataSync()], `${shape} over ${axis}`).toEqual(Array(size).fill(expected));
      }
    }
  });

  test.each(REDUCTIONS)(
    '%s of something is what it was, also beside an empty axis',
    async (_name, reduce, dtype) => {
      await useBackend(backend);
      correctTfjs();
      const one = reduce(tf.ones([2, 3], dtype as 'float32'), 1);
      expect([...one.dataSync()]).toEqual(reduce === tf.sum ? [3, 3] : [1, 1]);
      // Nothing is reduced to nothing: there is no number to be wrong.
      expect(reduce(tf.zeros([0, 3], dtype as 'float32'), 1).shape).toEqual([0]);
    },
  );
});

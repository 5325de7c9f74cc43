import '@hookline/trainer'; // registers a backend
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { finiteCheck } from '../src/check/finite-check.js';

beforeAll(() => tf.setBackend('cpu'));

describe.each(['cpu', 'tensorflow'])('checked as on %s', (backend) => {
  async function suspectsOf(tensor: tf.Tensor): Promise<number> {
    const check = finiteCheck(backend);
    check.look('gradient', 'path', tensor);
    const { length } = await check.read();
    check.dispose();
    tensor.dispose();
    return length;
  }

  test('one bad value is found wherever it is, in tensors of every length', async () => {
    for (let length = 1; length <= 9; length++) {
      expect(await suspectsOf(tf.ones([length]))).toBe(0);
      for (let place = 0; place < length; place++) {
        for (const bad of [Number.NaN, Infinity, -Infinity]) {
          const values = new Float32Array(length).fill(1);
          values[place] = bad;
          expect(await suspectsOf(tf.tensor1d(values))).toBe(1);
        }
      }
    }
  });

  test('numbers that are large, small or opposite, but finite, are fine', async () => {
    expect(await suspectsOf(tf.fill([1000], 3.4e38))).toBe(0);
    expect(await suspectsOf(tf.tensor1d([3.4e38, -3.4e38, 1e-45, 0]))).toBe(0);
    expect(await suspectsOf(tf.zeros([0, 3]))).toBe(0);
    expect(await suspectsOf(tf.tensor1d([1, 2], 'int32'))).toBe(0);
    expect(await suspectsOf(tf.tensor1d([true, false], 'bool'))).toBe(0);
  });

  test('infinities that cancel out are found', async () => {
    expect(await suspectsOf(tf.tensor1d([Infinity, -Infinity]))).toBe(1);
  });

  test('what was looked at comes in its order, and one number with its value', async () => {
    const check = finiteCheck(backend);
    tf.tidy(() => {
      check.look('activation', 'layer', tf.tensor1d([1, Number.NaN]), 2);
      check.look('activation', 'good', tf.tensor1d([1, 2]));
      check.look('loss', 'loss', tf.scalar(-Infinity));
    });
    expect(await check.read()).toEqual([
      { place: 'activation', path: 'layer', callIndex: 2, value: Number.NaN },
      { place: 'loss', path: 'loss', callIndex: 0, value: -Infinity },
    ]);
    check.dispose();
  });
});

import { TEST_BACKENDS, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { stopGradient } from '../../src/index.js';

describe.each(TEST_BACKENDS)('stopGradient on %s', (backend) => {
  beforeAll(() => useBackend(backend));

  test('keeps every bit of the values', () => {
    const given = tf.tensor1d([1.1, -0, Number.NaN, 1e-40, Number.POSITIVE_INFINITY]);
    const same = stopGradient(given);
    expect(Object.is(same.dataSync()[1], -0)).toBe(true);
    expect([...same.dataSync()]).toEqual([...given.dataSync()]);
    tf.dispose([given, same]);
  });

  test('what is behind it has no gradient, not even zeros', () => {
    const a = tf.variable(tf.scalar(3));
    const b = tf.variable(tf.scalar(4));
    const { value, grads } = tf.variableGrads(() => tf.mul<tf.Scalar>(stopGradient(tf.square(a)), b), [a, b]);
    expect(value.dataSync()[0]).toBe(36);
    expect(Object.keys(grads)).toEqual([b.name]);
    expect(grads[b.name]!.dataSync()[0]).toBe(9);
    tf.dispose([value, grads, a, b]);
  });

  test('of a variable it is the value as it is now', () => {
    const weight = tf.variable(tf.scalar(2));
    const before = stopGradient<tf.Tensor>(weight);
    weight.assign(tf.scalar(5));
    expect(before.dataSync()[0]).toBe(2);
    expect(before.isDisposed).toBe(false);
    tf.dispose([weight, before]);
  });

  test('leaves no tensor behind, and no data', () => {
    const weight = tf.variable(tf.scalar(2));
    const before = tf.memory();
    tf.tidy(() => {
      const x = tf.tensor1d([1, 2]);
      const { grads } = tf.variableGrads(() => {
        const y = tf.mul(x, weight);
        return tf.sum<tf.Scalar>(tf.mul(y, stopGradient(y)));
      }, [weight]);
      return grads[weight.name]!.dataSync();
    });
    expect(tf.memory()).toMatchObject({
      numTensors: before.numTensors,
      numDataBuffers: before.numDataBuffers,
    });
    weight.dispose();
  });
});

import '@hookline/trainer'; // registers a backend
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, test } from 'vitest';
import { buffersOf, HeldWeights } from '../src/check/held-weights.js';
import { weightsOf } from '../src/replay/load-weights.js';

beforeAll(() => tf.setBackend('cpu'));

describe('held weights', () => {
  test('are those of the moment, whatever becomes of the variables', async () => {
    const weights = { a: tf.variable(tf.tensor1d([1, 2])), b: tf.variable(tf.scalar(3)) };
    const held = new HeldWeights(weights);
    weights.a.assign(tf.tensor1d([9, 9]));
    expect(await held.toHost()).toEqual({
      a: { dtype: 'float32', shape: [2], data: Float32Array.of(1, 2) },
      b: { dtype: 'float32', shape: [], data: Float32Array.of(3) },
    });
    held.putBack();
    expect([...weights.a.dataSync()]).toEqual([1, 2]);
    held.release();
    expect([...weights.a.dataSync()]).toEqual([1, 2]);
    tf.dispose(weights);
  });

  test('cost no copy, and nothing stays behind when they are released', () => {
    const weight = tf.variable(tf.ones([1000]));
    const { numTensors, numDataBuffers } = tf.memory();
    const held = new HeldWeights({ weight });
    expect(tf.memory().numDataBuffers).toBe(numDataBuffers);
    held.release();
    held.release();
    expect(tf.memory().numTensors).toBe(numTensors);
    weight.dispose();
  });
});

describe('buffers', () => {
  test('of layers are the weights that nothing trains, such as moving averages', () => {
    const model = sequential({
      layers: [
        layers.dense({ units: 2, inputShape: [1], name: 'dense' }),
        layers.batchNormalization({ name: 'norm' }),
      ],
    });
    expect(Object.keys(buffersOf({ model, parameters: weightsOf(model) as never })).sort()).toEqual([
      'norm/moving_mean',
      'norm/moving_variance',
    ]);
  });

  test('of a module are those that it declares', () => {
    const [weight, mean] = [tf.variable(tf.scalar(1)), tf.variable(tf.scalar(0))];
    const model = {
      parameters: () => ({ weight }),
      buffers: () => ({ mean }),
      forward: (xs: unknown) => xs as tf.Tensor,
    };
    expect(Object.keys(buffersOf({ model, parameters: weightsOf(model) }))).toEqual(['mean']);
  });
});

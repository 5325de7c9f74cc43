import { errorOf, itOn, regression, regressor, TEST_BACKEND } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

const onWebgpu = itOn('webgpu');

onWebgpu('a mask of booleans becomes the floats that it is, also where it is transposed', async () => {
  const [rows, columns] = [64, 40];
  const values = Int32Array.from({ length: rows * columns }, (_, i) => i % 7);
  const ids = tf.tensor2d(values, [rows, columns], 'int32');
  const mask = tf.tidy(() => {
    const floats = tf.cast(tf.notEqual(ids, 0), 'float32');
    return tf.transpose(tf.expandDims(floats, -1), [1, 0, 2]);
  });
  const isId = (place: number) => ((place % rows) * columns + Math.floor(place / rows)) % 7 !== 0;
  const expected = Array.from({ length: rows * columns }, (_, place) => Number(isId(place)));
  expect([...(await mask.data())]).toEqual(expected);
});

onWebgpu(
  'labels that are not a class are found before the first step, also where they are on the device',
  async () => {
    const model = regressor();
    const sparse = quietTrainer({ model, loss: 'sparseCategoricalCrossentropy', backend: TEST_BACKEND });
    const onDevice = tf.add(tf.tensor1d([0, 0, 7, 0]), 0);
    const train = [{ xs: tf.ones([4, 3]), ys: onDevice }];
    expect((await errorOf(sparse.fit({ train, epochs: 1 }))).code).toBe('BAD_DATA');
  },
);

onWebgpu('an operation that fails on the device fails the run, by name', async () => {
  const trainer = quietTrainer({ model: regressor(), backend: TEST_BACKEND });
  await trainer.ready();
  const { device } = tf.backend() as unknown as { device: { createBuffer(options: object): unknown } };
  device.createBuffer({ size: 16, usage: 0 }); // no use is not a use
  const error = await errorOf(trainer.fit({ train: regression(8), epochs: 2, batchSize: 4 }));
  expect(error.code).toBe('DEVICE_ERROR');
  expect(error.message).toContain('continue from the last checkpoint');
});

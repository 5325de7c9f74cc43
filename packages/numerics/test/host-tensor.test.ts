import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { copyToHost, fromHost, readNumbers } from '../src/index.js';
import { distantBackend, useStockBackend } from './backends.js';

const distant = distantBackend();

describe.each(['cpu', 'wasm', distant.name])('on %s', (backend) => {
  beforeAll(() => useStockBackend(backend));

  test('a copy has type, shape and values, and makes the same tensor again', async () => {
    const tensors = {
      weights: tf.tensor2d([[1.5, -2]]),
      labels: tf.tensor1d([3, 4], 'int32'),
      mask: tf.tensor1d([true, false], 'bool'),
    };
    const copies = await copyToHost(tensors);
    expect(copies.weights).toEqual({ dtype: 'float32', shape: [1, 2], data: Float32Array.of(1.5, -2) });
    expect(copies.labels).toEqual({ dtype: 'int32', shape: [2], data: Int32Array.of(3, 4) });
    for (const [name, tensor] of Object.entries(tensors)) {
      const again = fromHost(copies[name]!);
      expect([again.dtype, again.shape]).toEqual([tensor.dtype, tensor.shape]);
      expect([...again.dataSync()]).toEqual([...tensor.dataSync()]);
    }
  });

  test('it is that of the moment of the call, whatever happens to the tensor meanwhile', async () => {
    const variable = tf.variable(tf.tensor1d([1, 2]));
    const gone = tf.tensor1d([5]);
    const pending = copyToHost({ variable, gone });
    variable.assign(tf.tensor1d([7, 8]));
    gone.dispose();
    const copies = await pending;
    expect([...copies.variable!.data]).toEqual([1, 2]);
    expect([...copies.gone!.data]).toEqual([5]);
  });

  test('copies are independent: of each other, of what was given, and of tensors made from them', async () => {
    const given = { dtype: 'float32', shape: [2], data: Float32Array.of(1, 2) } as const;
    const copies = await copyToHost({ given });
    given.data[0] = 9;
    const tensor = fromHost(copies.given!);
    copies.given!.data[1] = 9;
    expect([...tensor.dataSync()]).toEqual([1, 2]);
    expect([...copies.given!.data]).toEqual([1, 9]);
  });

  test('no tensor is left behind, not even in a tidy', async () => {
    const tensor = tf.tensor1d([1]);
    const before = tf.memory().numTensors;
    let pending: Promise<object> | undefined;
    tf.tidy(() => {
      pending = copyToHost({ tensor });
    });
    await pending;
    await readNumbers([tensor]);
    expect(tf.memory().numTensors).toBe(before);
  });

  test('the numbers of several tensors are read in their order', async () => {
    const tensors = [tf.scalar(1), tf.tensor2d([[2, 3]]), tf.tensor1d([4, 5], 'int32'), tf.tensor1d([])];
    expect(await readNumbers(tensors)).toEqual([[1], [2, 3], [4, 5], []]);
    expect(await readNumbers([])).toEqual([]);
  });
});

test('the numbers of several tensors on a device cost one transfer', async () => {
  await useStockBackend(distant.name);
  const tensors = [tf.scalar(1), tf.tensor1d([2, 3]), tf.scalar(4)];
  const before = distant.reads;
  await readNumbers(tensors);
  expect(distant.reads - before).toBe(1);
});

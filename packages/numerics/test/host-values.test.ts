import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { filledTensor, floatValues, hostValues, isHostBackend } from '../src/index.js';
import { distantBackend, useStockBackend } from './backends.js';

const distant = distantBackend();

describe.each(['cpu', 'wasm'])('on %s', (backend) => {
  beforeAll(() => useStockBackend(backend));

  test('the values are in our memory', () => {
    expect(isHostBackend()).toBe(true);
    expect([...hostValues(tf.tensor2d([[1, 2]]))!]).toEqual([1, 2]);
    expect(hostValues(tf.tensor1d([3], 'int32'))).toEqual(Int32Array.of(3));
    expect(hostValues(tf.tensor1d([true]))).toBeUndefined();
  });

  test('as floats, whatever the type', () => {
    expect(floatValues(tf.tensor1d([3, -4], 'int32'))).toEqual(Float32Array.of(3, -4));
    expect(floatValues(tf.tensor1d([true, false]))).toEqual(Float32Array.of(1, 0));
    expect(floatValues(tf.tensor1d([0.5]))).toEqual(Float32Array.of(0.5));
  });

  test('reading them makes no tensor and no copy', () => {
    const tensor = tf.zeros([1000]);
    const before = tf.memory().numTensors;
    const [first, second] = [hostValues(tensor)!, hostValues(tensor)!];
    expect(first.buffer).toBe(second.buffer);
    expect(tf.memory().numTensors).toBe(before);
  });

  test.each(['float32', 'int32'] as const)('a tensor of %s is filled in place', (dtype) => {
    const tensor = filledTensor([2, 2], dtype, (into) => into.set([1, 2, 3, 4]));
    expect([tensor.dtype, tensor.shape]).toEqual([dtype, [2, 2]]);
    expect([...tensor.dataSync()]).toEqual([1, 2, 3, 4]);
    expect([...tf.add(tensor, tensor).dataSync()]).toEqual([2, 4, 6, 8]);
    const count = tf.memory().numTensors;
    tensor.dispose();
    expect(tf.memory().numTensors).toBe(count - 1);
  });
});

test('a tensor that was made on another backend is brought here', async () => {
  await useStockBackend('cpu');
  const tensor = tf.tensor1d([1, 2, 3]);
  await useStockBackend('wasm');
  expect([...hostValues(tensor)!]).toEqual([1, 2, 3]);
});

test('what is on a device is not in our memory, and is read only when it must be', async () => {
  await useStockBackend(distant.name);
  const tensor = filledTensor([2], 'float32', (into) => into.set([1, 2]));
  expect(isHostBackend()).toBe(false);
  expect(isHostBackend('wasm')).toBe(true);
  expect(hostValues(tensor)).toBeUndefined();
  expect([...floatValues(tensor)]).toEqual([1, 2]);
});

test('on wasm the values are valid again after the heap has grown', async () => {
  await useStockBackend('wasm');
  const tensor = tf.tensor1d([1, 2, 3]);
  hostValues(tensor);
  const filler = Array.from({ length: 20 }, () => tf.zeros([1_000_000]));
  expect([...hostValues(tensor)!]).toEqual([1, 2, 3]);
  const filled = filledTensor([3], 'float32', (into) => into.set(hostValues(tensor)!));
  expect([...filled.dataSync()]).toEqual([1, 2, 3]);
  tf.dispose(filler);
});

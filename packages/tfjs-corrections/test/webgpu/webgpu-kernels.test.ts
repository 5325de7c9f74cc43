import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { correctKernels } from '../../src/index.js';

interface CastArgs {
  inputs: { x: tf.TensorInfo };
  attrs: { dtype: tf.DataType };
}

/** The types that the stock kernel was asked for. */
const stockCasts: string[] = [];

beforeAll(async () => {
  await useBackend('cpu');
  correctKernels(); // there is no webgpu yet, and nothing to do
  const Cpu = tf.findBackend('cpu').constructor as new () => tf.KernelBackend;
  tf.copyRegisteredKernels('cpu', 'webgpu');
  tf.registerBackend('webgpu', () => Object.assign(new Cpu(), { firstUse: false }));
  await tf.setBackend('webgpu');
  for (const [kernelName, kernelFunc] of Object.entries({ Cast: castByName, Multiply: multiplyFloats })) {
    tf.unregisterKernel(kernelName, 'webgpu');
    tf.registerKernel({
      kernelName,
      backendName: 'webgpu',
      kernelFunc: kernelFunc as unknown as tf.KernelFunc,
    });
  }
});
beforeEach(() => {
  stockCasts.length = 0;
});

/** Like that of tfjs-backend-webgpu: whole numbers keep their bits and only get another type. */
function castByName({ inputs: { x }, attrs: { dtype } }: CastArgs): tf.TensorInfo {
  stockCasts.push(dtype);
  const backend = tf.backend();
  const values = Int32Array.from(backend.readSync(x.dataId) as ArrayLike<number>);
  const isFloat = dtype === 'float32';
  const kept = isFloat ? new Float32Array(values.buffer) : values;
  return { dataId: backend.write(kept, x.shape, dtype), shape: x.shape, dtype };
}

/** A number times a float is a float, as in a shader. */
function multiplyFloats({ inputs: { a, b } }: { inputs: { a: tf.TensorInfo; b: tf.TensorInfo } }) {
  const backend = tf.backend();
  const [factors, [by = 0]] = [a, b].map(({ dataId }) => [...(backend.readSync(dataId) as Float32Array)]) as [
    number[],
    number[],
  ];
  const product = Float32Array.from(factors, (each) => each * by);
  return { dataId: backend.write(product, a.shape, 'float32'), shape: a.shape, dtype: 'float32' };
}

const mask = (type: 'int32' | 'bool') => tf.tensor1d([1, 0, 1, 1], type);

test('stock: a cast to float reads the bits of whole numbers as floats', () => {
  expect([...tf.cast(mask('int32'), 'float32').dataSync()]).not.toEqual([1, 0, 1, 1]);
});

test.each(['int32', 'bool'] as const)('a cast of %s to float gives the numbers', (type) => {
  correctKernels();
  const before = tf.memory().numDataBuffers;
  const values = tf.tidy(() => {
    const floats = tf.cast(mask(type), 'float32');
    expect(floats.dtype).toBe('float32');
    return [...floats.dataSync()];
  });
  expect(values).toEqual([1, 0, 1, 1]);
  expect(stockCasts).toEqual([]);
  expect(tf.memory().numDataBuffers).toBe(before);
});

test('other casts stay with the kernel of the backend', () => {
  correctKernels();
  tf.tidy(() => tf.cast(tf.tensor1d([1.5, 2.5]), 'int32'));
  expect(stockCasts).toEqual(['int32']);
});

test('a second call changes nothing', () => {
  const kernel = tf.getKernel('Cast', 'webgpu');
  correctKernels();
  expect(tf.getKernel('Cast', 'webgpu')).toBe(kernel);
});

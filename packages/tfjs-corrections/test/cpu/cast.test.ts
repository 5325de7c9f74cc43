import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeEach, expect, test } from 'vitest';
import { correctCpuKernels } from '../../src/cpu/correct-cpu-kernels.js';
import { useStockKernels } from './stock-kernels.js';

beforeEach(async () => {
  await useBackend('cpu');
  useStockKernels();
});

/** Numbers that were cast on cpu, read after they have moved to wasm. */
async function castAndMoved(values: number[]): Promise<number[]> {
  const cast = tf.cast(tf.tensor1d(values, 'int32'), 'float32');
  await useBackend('wasm');
  return [...tf.add(cast, 0).dataSync()];
}

test('stock tfjs reads integers that were cast on cpu as the bits of floats once they move', async () => {
  expect(await castAndMoved([1, 2, 3])).not.toEqual([1, 2, 3]);
});

test('integers that were cast on cpu keep their values on another backend', async () => {
  correctCpuKernels();
  expect(await castAndMoved([1, 2, 3])).toEqual([1, 2, 3]);
});

test('the other casts give what they gave', () => {
  correctCpuKernels();
  expect([...tf.cast(tf.tensor1d([1.7, -1.7, 0]), 'int32').dataSync()]).toEqual([1, -1, 0]);
  expect([...tf.cast(tf.tensor1d([1.7, 0]), 'bool').dataSync()]).toEqual([1, 0]);
  expect([...tf.cast(tf.tensor1d([true, false]), 'float32').dataSync()]).toEqual([1, 0]);
  const floats = tf.tensor1d([0.5]);
  expect([...tf.cast(floats, 'float32').dataSync()]).toEqual([0.5]);
});

test('a cast is independent of its operand, and no tensor is left behind', () => {
  correctCpuKernels();
  const integers = tf.tensor1d([5, 6], 'int32');
  const before = tf.memory();
  const cast = tf.cast(integers, 'float32');
  expect(tf.memory().numTensors - before.numTensors).toBe(1);
  integers.dispose();
  expect([...cast.dataSync()]).toEqual([5, 6]);
  cast.dispose();
  expect(tf.memory().numDataBuffers).toBe(before.numDataBuffers - 1);
});

test('a second call changes nothing', () => {
  correctCpuKernels();
  const corrected = tf.getKernel(tf.Cast, 'cpu');
  correctCpuKernels();
  expect(tf.getKernel(tf.Cast, 'cpu')).toBe(corrected);
});

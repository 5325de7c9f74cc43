import { numbers, useBackend, useStockGradients } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { correctCpuKernels } from '../../src/cpu/correct-cpu-kernels.js';
import { correctTfjs, registerGradients } from '../../src/index.js';
import { useStockKernels } from './stock-kernels.js';

beforeEach(async () => {
  await useBackend('cpu');
  useStockKernels();
});
afterAll(useStockGradients);

const made = (shape: number[], seed: number) => tf.tensor(numbers(tf.util.sizeFromShape(shape), seed), shape);

/** What a function gives with the stock kernels of cpu, and with the corrected ones. */
function both<Result>(compute: () => Result): { stock: Result; corrected: Result } {
  const stock = compute();
  correctCpuKernels();
  return { stock, corrected: compute() };
}

test('the gradient of maxPool3d reaches the maximum of a window that is not a cube', () => {
  const x = tf.tensor5d([1, 2, 3, 4, 9, 6], [1, 1, 2, 3, 1]);
  const { stock, corrected } = both(() => [
    ...tf
      .grad((volume) => tf.maxPool3d(volume as tf.Tensor5D, [1, 2, 3], 1, 'valid'))(x)
      .dataSync(),
  ]);
  expect(stock).toEqual([0, 0, 0, 1, 0, 0]);
  expect(corrected).toEqual([0, 0, 0, 0, 1, 0]);
});

test('windows of avgPool that rounding up adds have a gradient', () => {
  const pool = (x: tf.Tensor) => tf.avgPool(x as tf.Tensor4D, 3, 2, 1, 'ceil');
  const { stock, corrected } = both(() => {
    registerGradients();
    return [
      ...tf
        .grad(pool)(tf.ones([1, 4, 1, 1]))
        .dataSync(),
    ];
  });
  // Windows of two, three and one elements.
  expect(stock.at(-1)).toBeCloseTo(1 / 3);
  expect(corrected.at(-1)).toBeCloseTo(1 / 3 + 1);
});

test('tf.image.transform moves every image of a batch', () => {
  const images = tf.tensor4d([1, 2, 3, 4, 5, 6, 7, 8], [2, 2, 2, 1]);
  const toTheLeft = tf.tensor2d([[1, 0, 1, 0, 1, 0, 0, 0]]);
  const { stock, corrected } = both(() => [...tf.image.transform(images, toTheLeft).dataSync()]);
  expect(stock).toEqual([2, 0, 4, 0, 0, 0, 0, 0]);
  expect(corrected).toEqual([2, 0, 4, 0, 6, 0, 8, 0]);
  const each = tf.concat([toTheLeft, tf.tensor2d([[1, 0, 0, 0, 1, 1, 0, 0]])]);
  const moved = tf.image.transform(images, each as tf.Tensor2D, 'nearest', 'constant', -1, [1, 2]);
  expect(moved.arraySync()).toEqual([[[[2], [-1]]], [[[7], [8]]]]);
});

test('tensorScatterUpdate leaves its operand alone', () => {
  const { stock, corrected } = both(() => {
    const x = tf.tensor1d([1, 2, 3]);
    const updated = tf.tensorScatterUpdate(x, tf.tensor2d([[1]], [1, 1], 'int32'), tf.tensor1d([9]));
    return [[...x.dataSync()], [...updated.dataSync()]];
  });
  expect(stock[0]).toEqual([1, 9, 3]);
  expect(corrected).toEqual([
    [1, 2, 3],
    [1, 9, 3],
  ]);
});

test.each([
  ['mean', () => tf.mean(tf.zeros([2, 0]), 1), 0, Number.NaN],
  ['max', () => tf.max(tf.zeros([2, 0]), 1), Number.NaN, Number.NEGATIVE_INFINITY],
  ['min', () => tf.min(tf.zeros([2, 0]), 1), Number.NaN, Number.POSITIVE_INFINITY],
  ['max of integers', () => tf.max(tf.zeros([2, 0], 'int32'), 1), 0, -(2 ** 31)],
  ['min of integers', () => tf.min(tf.zeros([2, 0], 'int32'), 1), 0, 2 ** 31 - 1],
  ['all', () => tf.all(tf.zeros([2, 0], 'bool'), 1), 0, 1],
] as const)('%s of nothing is what TensorFlow gives, as on wasm', async (_name, reduce, before, after) => {
  const { stock, corrected } = both(() => [...reduce().dataSync()]);
  expect(stock).toEqual([before, before]);
  expect(corrected).toEqual([after, after]);
  await useBackend('wasm');
  expect([...reduce().dataSync()]).toEqual([after, after]);
});

test('a shortcut of a residual network of volumes starts at the first element; stock skips it', () => {
  const x = tf.reshape(tf.range(0, 4), [1, 4, 1, 1, 1]) as tf.Tensor5D;
  const everySecond = () => [...tf.conv3d(x, tf.ones([1, 1, 1, 1, 1]) as tf.Tensor5D, 2, 'same').dataSync()];
  const { stock, corrected } = both(everySecond);
  expect(stock).toEqual([1, 3]);
  expect(corrected).toEqual([0, 2]);
});

describe.each(['cpu', 'wasm'] as const)('on %s', (backend) => {
  beforeEach(async () => {
    await useBackend(backend);
    correctTfjs();
  });

  test('strides larger than the filter of volumes take every stride-th element, also backwards', () => {
    const x = made([2, 5, 4, 6, 3], 1) as tf.Tensor5D;
    const filter = made([1, 1, 1, 3, 2], 2) as tf.Tensor5D;
    const strides: [number, number, number] = [2, 3, 2];
    const convolved = (a: tf.Tensor, b: tf.Tensor) =>
      tf.conv3d(a as tf.Tensor5D, b as tf.Tensor5D, strides, 'same') as tf.Tensor;
    const multiplied = (a: tf.Tensor, b: tf.Tensor) => {
      const taken = tf.stridedSlice(a, [0, 0, 0, 0, 0], a.shape, [1, ...strides, 1]);
      const rows = tf.reshape(taken, [-1, 3]);
      return tf.reshape(tf.matMul(rows, tf.reshape(b, [3, 2])), [...taken.shape.slice(0, 4), 2]);
    };
    const [y, expected] = [convolved, multiplied].map((compute) => {
      const forward = compute(x, filter);
      const gradients = tf.grads(compute)([x, filter], made(forward.shape, 3));
      return [forward, ...gradients].map((tensor) => ({
        shape: tensor.shape,
        values: [...tensor.dataSync()],
      }));
    });
    for (const [i, { shape, values }] of expected!.entries()) {
      expect(y![i]!.shape).toEqual(shape);
      const far = values.map((value, k) => Math.abs(value - y![i]!.values[k]!));
      expect(Math.max(...far)).toBeLessThan(1e-5);
    }
  });
});

test('the gradients of reductions of nothing are empty', () => {
  correctTfjs();
  for (const reduce of [tf.sum, tf.mean, tf.prod, tf.max, tf.min]) {
    const gradient = tf.grad((x) => reduce(x, 1) as tf.Tensor)(tf.zeros([2, 0, 3]));
    expect(gradient.shape).toEqual([2, 0, 3]);
  }
});

test('nothing is left behind by the corrected kernels', () => {
  correctTfjs();
  const [volume, filter] = [made([1, 4, 4, 4, 2], 1), made([1, 1, 1, 2, 2], 2)];
  const transforms = tf.tensor2d([[1, 0, 1, 0, 1, 0, 0, 0]]);
  const before = tf.memory();
  tf.tidy(() => {
    tf.grads((x, w) => tf.conv3d(x as tf.Tensor5D, w as tf.Tensor5D, 2, 'same'))([volume, filter]);
    tf.grad((x) => tf.avgPool3d(x as tf.Tensor5D, 1, 2, 'same'))(volume);
    tf.grad((x) => tf.maxPool3d(x as tf.Tensor5D, 1, 2, 'same'))(volume);
    tf.image.transform(tf.zeros([2, 2, 2, 1]), transforms);
    tf.tensorScatterUpdate(tf.zeros([3]), tf.tensor2d([[1]], [1, 1], 'int32'), tf.tensor1d([9]));
    tf.mean(tf.zeros([0]));
  });
  const { numTensors, numDataBuffers } = tf.memory();
  expect([numTensors, numDataBuffers]).toEqual([before.numTensors, before.numDataBuffers]);
});

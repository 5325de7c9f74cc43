import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, test } from 'vitest';
import { isTensor, leaves, mapTree } from '../src/index.js';
import { useStockBackend } from './backends.js';

beforeAll(() => useStockBackend('cpu'));

const one = () => tf.scalar(1);
const two = () => tf.scalar(2);
const numbersOf = (tensors: tf.Tensor[]) => tensors.map((tensor) => tensor.dataSync()[0]);

test('a tree is one tensor, a list, or a record; its leaves come in a fixed order', () => {
  expect(numbersOf(leaves(one()))).toEqual([1]);
  expect(numbersOf(leaves([two(), one()]))).toEqual([2, 1]);
  expect(numbersOf(leaves({ b: two(), a: one() }))).toEqual([2, 1]);
  expect(leaves(undefined)).toEqual([]);
});

test('a tree keeps its form when each tensor is replaced', () => {
  const double = (tensor: tf.Tensor) => tf.mul(tensor, 2);
  expect(numbersOf([mapTree(two(), double) as tf.Tensor])).toEqual([4]);
  expect(numbersOf(mapTree([one(), two()], double) as tf.Tensor[])).toEqual([2, 4]);
  const record = mapTree({ a: one(), b: two() }, double) as Record<string, tf.Tensor>;
  expect(Object.keys(record)).toEqual(['a', 'b']);
  expect(numbersOf(Object.values(record))).toEqual([2, 4]);
});

test('a tensor is recognised by its shape, also one of another copy of tfjs', () => {
  expect(isTensor(one())).toBe(true);
  expect(isTensor(tf.variable(one()))).toBe(true);
  expect(isTensor({ dataId: {}, dtype: 'float32', shape: [] })).toBe(true);
  for (const value of [undefined, null, 5, 'text', [], new Float32Array(1), { xs: one() }]) {
    expect(isTensor(value)).toBe(false);
  }
});

test('replacing tensors neither disposes nor changes the given ones', () => {
  const tree = { a: one(), b: two() };
  const replaced = mapTree(tree, (tensor) => tf.clone(tensor)) as Record<string, tf.Tensor>;
  tf.dispose(replaced);
  expect(numbersOf(Object.values(tree))).toEqual([1, 2]);
});

import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import { on } from './backends.js';
import type { AnyTensor, Case } from './cases/case.js';
import { indices, input } from './cases/case.js';
import { differences } from './compare.js';

beforeAll(async () => {
  await enableTraining();
}, 60_000);

const matrix = (run: (x: AnyTensor) => tf.Tensor, name: string, shape: number[]): Case => ({
  name: `${name} of [${shape}]`,
  inputs: [input(shape)],
  run,
});

const SHAPES = [[0], [0, 3], [3, 0], [2, 0, 4]];

/** Operations on tensors without numbers; cpu says what comes out, and their gradients are empty too. */
const CASES: readonly Case[] = [
  ...SHAPES.flatMap((shape) => [
    matrix(tf.relu, 'relu', shape),
    matrix(tf.tanh, 'tanh', shape),
    matrix((x) => tf.add(x, 1), 'add a number', shape),
    matrix((x) => tf.mul(x, x), 'mul', shape),
    matrix((x) => tf.clipByValue(x, 0, 1), 'clipByValue', shape),
    matrix((x) => tf.reverse(x, 0), 'reverse', shape),
    matrix((x) => tf.reshape(x, [0, 5]), 'reshape', shape),
    matrix((x) => tf.transpose(x), 'transpose', shape),
    matrix((x) => tf.concat([x, x], 0), 'concat', shape),
    matrix((x) => tf.tile(x, Array(shape.length).fill(2)), 'tile', shape),
    matrix((x) => tf.sum(x), 'sum', shape),
    matrix((x) => tf.cast(tf.greater(x, 0), 'float32'), 'greater', shape),
    matrix((x) => tf.cumsum(x, 0), 'cumsum', shape),
  ]).map((each) => (/greater|cumsum/.test(each.name) ? { ...each, gradients: [] } : each)),
  ...[
    [
      [0, 3],
      [3, 2],
    ],
    [
      [2, 3],
      [3, 0],
    ],
    [
      [2, 0],
      [0, 3],
    ],
    [
      [0, 2, 3],
      [0, 3, 4],
    ],
  ].map(
    ([a, b]): Case => ({
      name: `matMul of [${a}] and [${b}]`,
      inputs: [input(a!), input(b!)],
      run: (x: AnyTensor, y: AnyTensor) => tf.matMul(x, y),
    }),
  ),
  {
    name: 'conv2d of no images',
    inputs: [input([0, 5, 5, 2]), input([3, 3, 2, 4])],
    run: (x: AnyTensor, w: AnyTensor) => tf.conv2d(x, w, 1, 'same'),
  },
  {
    name: 'depthwiseConv2d of no images',
    inputs: [input([0, 5, 5, 2]), input([3, 3, 2, 1])],
    run: (x: AnyTensor, w: AnyTensor) => tf.depthwiseConv2d(x, w, 1, 'same'),
  },
  {
    name: 'maxPool of no images',
    inputs: [input([0, 4, 4, 3])],
    run: (x: AnyTensor) => tf.maxPool(x, 2, 2, 'valid'),
  },
  {
    name: 'avgPool of no images',
    inputs: [input([0, 4, 4, 3])],
    run: (x: AnyTensor) => tf.avgPool(x, 2, 2, 'valid'),
  },
  {
    name: 'gather with no indices',
    inputs: [input([4, 3]), indices([0], 4)],
    run: (x: AnyTensor, at: AnyTensor) => tf.gather(x, at),
  },
  {
    name: 'unsortedSegmentSum of no rows',
    inputs: [input([0, 3]), indices([0], 2)],
    run: (x: AnyTensor, at: AnyTensor) => tf.unsortedSegmentSum(x, at, 2),
    gradients: [],
  },
  {
    name: 'where without elements',
    inputs: [input([0, 2]), input([0, 2])],
    run: (x: AnyTensor, y: AnyTensor) => tf.where(tf.zeros([0, 2], 'bool'), x, y),
  },
];

describe('tensors without numbers', () => {
  it('give what cpu gives, with gradients, and leave nothing behind', async () => {
    expect(await differences(CASES)).toEqual([]);
  });

  it('a reduction over an axis without elements is the neutral element, and a mean is not a number', async () => {
    const reductions = [tf.sum, tf.mean, tf.max, tf.min, tf.prod];
    const values = await on('wasm', () =>
      reductions.map((reduce) => [...reduce(tf.zeros([0, 2]), 0).dataSync()]),
    );
    expect(values).toEqual([
      [0, 0],
      [Number.NaN, Number.NaN],
      [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
      [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
      [1, 1],
    ]);
  });

  it('a product over a depth of none is zero, or the bias with its activation', async () => {
    const results = await on('wasm', () => {
      const [a, b] = [tf.zeros([2, 0]) as tf.Tensor2D, tf.zeros([0, 3]) as tf.Tensor2D];
      const bias = tf.tensor1d([1, -2, 3]);
      return [
        tf.matMul(a, b),
        tf.fused.matMul({ a, b, bias }),
        tf.fused.matMul({ a, b, bias, activation: 'relu' }),
      ].map((tensor) => [...tensor.dataSync()]);
    });
    expect(results).toEqual([
      [0, 0, 0, 0, 0, 0],
      [1, -2, 3, 1, -2, 3],
      [1, 0, 3, 1, 0, 3],
    ]);
  });

  it('a mean of nothing has an empty gradient', async () => {
    const gradient = await on('wasm', () => tf.grad((x) => tf.mean(x))(tf.zeros([0, 2])).shape);
    expect(gradient).toEqual([0, 2]);
  });

  it('empty tensors can be made, kept and disposed of any number of times', async () => {
    await on('wasm', () => {
      const before = tf.memory();
      for (let i = 0; i < 100; i++) {
        const x = tf.zeros([0, 7]);
        tf.dispose([tf.add(x, 1), tf.clone(x), x]);
      }
      expect(tf.memory()).toEqual(before);
    });
  });
});

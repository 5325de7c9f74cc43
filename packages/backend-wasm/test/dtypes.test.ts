import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import { on } from './backends.js';
import { type AnyTensor, type Case, type Input, indices, input } from './cases/case.js';
import { differences } from './compare.js';

beforeAll(async () => {
  await enableTraining();
});

const ints = (...shape: number[]): Input => ({ shape, dtype: 'int32', range: [-9, 10] });
const bools = (...shape: number[]): Input => ({ shape, dtype: 'bool', range: [0, 1] });

const of = (name: string, inputs: Input[], run: Case['run']): Case => ({ name, inputs, run, gradients: [] });

/** Numbers of 4 bytes that are not floats, bytes, and both mixed with floats. */
const CASES: readonly Case[] = [
  of('relu of int32', [ints(17)], tf.relu),
  of('square of int32', [ints(3, 5)], tf.square),
  of('abs of int32', [ints(9)], tf.abs),
  of('neg of int32', [ints(9)], tf.neg),
  of('clipByValue of int32', [ints(9)], (x: AnyTensor) => tf.clipByValue(x, -3, 4)),
  of('add of int32 and float32', [ints(3, 4), input([4])], tf.add),
  of('mul of bool and float32', [bools(5), input([5])], tf.mul),
  of('sub of float32 and int32', [input([2, 3]), ints(2, 1)], tf.sub),
  of('div of int32', [ints(7), { shape: [7], dtype: 'int32', range: [1, 9] }], tf.div),
  of('maximum of int32', [ints(4, 3), ints(3)], tf.maximum),
  of('equal of bool', [bools(9), bools(9)], tf.equal),
  of('greater of int32', [ints(3, 5), ints(5)], tf.greater),
  of('logicalAnd of bool', [bools(9), bools(9)], tf.logicalAnd),
  of('where of int32', [bools(11), ints(11), ints(11)], tf.where as Case['run']),
  of('where of bool', [bools(5), bools(5), bools(5)], tf.where as Case['run']),
  of('sum of int32', [ints(4, 5)], (x: AnyTensor) => tf.sum(x, 1)),
  of('sum of bool', [bools(4, 5)], (x: AnyTensor) => tf.sum(x, 0)),
  of('mean of int32', [ints(4, 5)], (x: AnyTensor) => tf.mean(x, 0)),
  of('max of int32', [ints(4, 5)], (x: AnyTensor) => tf.max(x, 1)),
  of('min of int32', [ints(4, 5)], (x: AnyTensor) => tf.min(x)),
  of('all and any of bool', [bools(4, 5)], (x: AnyTensor) => [tf.all(x, 0), tf.any(x, 1)]),
  of('transpose of int32', [ints(3, 4, 2)], (x: AnyTensor) => tf.transpose(x, [2, 0, 1])),
  of('transpose of bool', [bools(3, 4, 2)], (x: AnyTensor) => tf.transpose(x, [1, 2, 0])),
  of('tile of int32', [ints(2, 3)], (x: AnyTensor) => tf.tile(x, [2, 3])),
  of('tile of bool', [bools(2, 3)], (x: AnyTensor) => tf.tile(x, [3, 1])),
  of('slice of bool', [bools(5, 5)], (x: AnyTensor) => tf.slice(x, [1, 2], [3, 2])),
  of('slice of int32', [ints(5, 5)], (x: AnyTensor) => tf.slice(x, [1, 0], [2, 5])),
  of('concat of int32', [ints(2, 3), ints(4, 3)], (...all: AnyTensor[]) => tf.concat(all, 0)),
  of('concat of bool', [bools(2, 3), bools(2, 1)], (...all: AnyTensor[]) => tf.concat(all, 1)),
  of('reverse of int32', [ints(4, 3)], (x: AnyTensor) => tf.reverse(x, [0, 1])),
  of('reverse of bool', [bools(4, 3)], (x: AnyTensor) => tf.reverse(x, 1)),
  of('pad of int32', [ints(2, 2)], (x: AnyTensor) =>
    tf.pad(
      x,
      [
        [1, 0],
        [0, 2],
      ],
      7,
    ),
  ),
  of('gather of int32', [ints(6, 2), indices([4], 6)], (x: AnyTensor, at: AnyTensor) => tf.gather(x, at)),
  of('gather of bool', [bools(6, 2), indices([4], 6)], (x: AnyTensor, at: AnyTensor) => tf.gather(x, at)),
  of('cumsum of int32', [ints(3, 4)], (x: AnyTensor) => tf.cumsum(x, 1, true, true)),
  of('cumprod of int32', [ints(2, 3)], (x: AnyTensor) => tf.cumprod(x, 0)),
  of('clone of every type', [input([4]), ints(4), bools(4)], (...all: AnyTensor[]) =>
    all.map((each) => tf.clone(each)),
  ),
  of('reshape of every type', [input([4]), ints(4), bools(4)], (...all: AnyTensor[]) =>
    all.map((each) => tf.reshape(each, [2, 2])),
  ),
  of('oneHot', [indices([6], 4)], (x: AnyTensor) => tf.oneHot(x, 4)),
];

describe('integers and booleans', () => {
  it.each(CASES.map((each) => [each.name, each] as const))('%s is that of cpu', async (_name, each) => {
    expect(await differences([each])).toEqual([]);
  });

  it.each([0, 1, 3, 4, 5, 15, 16, 17, 33])('casts %i numbers between all types', async (size) => {
    const values = Array.from({ length: size }, (_, i) => (i % 3 === 0 ? 0 : (i - 4) * 1.5));
    const cast = (backend: 'cpu' | 'wasm') =>
      on(backend, () =>
        (['float32', 'int32', 'bool'] as const).flatMap((from) =>
          (['float32', 'int32', 'bool'] as const).map((to) => {
            const made = from === 'bool' ? values.map((value) => value !== 0) : values;
            const result = tf.cast(tf.tensor1d(made as number[], from), to);
            return [from, to, result.dtype, ...result.dataSync()];
          }),
        ),
      );
    expect(await cast('wasm')).toEqual(await cast('cpu'));
  });

  it('a cast to the same type, and its original, can be disposed of in any order', async () => {
    await on('wasm', () => {
      for (const dtype of ['float32', 'int32', 'bool'] as const) {
        const x = tf.tensor1d([1, 0, 1], dtype);
        const same = tf.cast(x, dtype);
        x.dispose();
        expect([...same.dataSync()]).toEqual([1, 0, 1]);
        same.dispose();
      }
    });
  });

  it('large integers keep every digit in copies and sums', async () => {
    const large = [2 ** 31 - 1, -(2 ** 31), 2 ** 24 + 1, -(2 ** 24) - 1];
    const results = await on('wasm', () => {
      const x = tf.tensor1d(large, 'int32');
      return [
        tf.clone(x),
        tf.reverse(tf.reverse(x)),
        tf.concat([x, x]),
        tf.tile(x, [2]),
        tf.gather(x, [0, 1, 2, 3]),
      ].map((tensor) => [...tensor.dataSync()].slice(0, 4));
    });
    for (const values of results) expect(values).toEqual(large);
  });

  it('says which types an operation of this package does not take', async () => {
    const segments = () =>
      tf.engine().runKernel('Einsum', [tf.ones([2, 2], 'int32')] as never, { equation: 'ij->ji' });
    await expect(on('wasm', segments)).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringMatching(/^Einsum on wasm does not support 0: int32 \[2,2\] with .*ij->ji/),
    });
  });
});

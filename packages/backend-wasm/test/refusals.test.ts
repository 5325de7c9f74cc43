import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import { OWN_KERNELS } from '../src/kernels/own-kernels.js';
import { TRAINING_KERNELS } from '../src/kernels/training-kernels.js';
import { on } from './backends.js';

beforeAll(async () => {
  await enableTraining();
});

const run = (name: string, inputs: object, attrs: object = {}) =>
  tf.engine().runKernel(name, inputs as never, attrs as never) as tf.Tensor;
const ints = (...shape: number[]) => tf.ones(shape, 'int32');
const floats = (...shape: number[]) => tf.ones(shape);
const conv = { strides: 1, pad: 'valid', dataFormat: 'NHWC', dilations: 1 };

/** Kernels that tfjs does not have on wasm: there is nobody to leave these to. */
const REFUSED: Readonly<Record<string, [string, () => object, object?]>> = {
  'the gradient of a filter of integers': [
    tf.Conv2DBackpropFilter,
    () => ({ x: ints(1, 4, 4, 1), dy: floats(1, 2, 2, 1) }),
    { ...conv, filterShape: [3, 3, 1, 1] },
  ],
  'the gradient of a depthwise filter of integers': [
    tf.DepthwiseConv2dNativeBackpropFilter,
    () => ({ x: ints(1, 4, 4, 1), dy: floats(1, 2, 2, 1) }),
    { ...conv, filterShape: [3, 3, 1, 1] },
  ],
  'the gradient of images in a depthwise convolution of integers': [
    tf.DepthwiseConv2dNativeBackpropInput,
    () => ({ dy: floats(1, 2, 2, 1), filter: ints(3, 3, 1, 1) }),
    { ...conv, inputShape: [1, 4, 4, 1] },
  ],
  'depthwise gradients with the channels first': [
    tf.DepthwiseConv2dNativeBackpropInput,
    () => ({ dy: floats(1, 1, 2, 2), filter: floats(3, 3, 1, 1) }),
    { ...conv, dataFormat: 'NCHW', inputShape: [1, 1, 4, 4] },
  ],
  'sums of segments of booleans': [
    tf.UnsortedSegmentSum,
    () => ({ x: tf.tensor1d([1, 0], 'bool'), segmentIds: tf.tensor1d([0, 1], 'int32') }),
    { numSegments: 2 },
  ],
  'einsum of integers': [tf.Einsum, () => [ints(2, 2)], { equation: 'ij->ji' }],
};

describe('what a kernel does not take', () => {
  it.each(Object.entries(REFUSED))('is refused by name: %s', async (_name, [kernel, inputs, attrs]) => {
    const failure = on('wasm', () => run(kernel, inputs(), attrs));
    await expect(failure).rejects.toMatchObject({
      name: 'BackendWasmError',
      code: 'UNSUPPORTED',
      message: expect.stringMatching(`^${kernel} on wasm does not support .*(int32|bool|NCHW)`),
    });
  });

  it.each([
    ['plain', [2, 3], [2, 3], false, false, 3, 2],
    ['with the first one transposed', [2, 3], [3, 2], true, false, 2, 3],
    ['with the second one transposed', [2, 3], [3, 2], false, true, 3, 2],
    ['with both transposed', [2, 3], [2, 3], true, true, 2, 3],
    ['in a batch', [4, 2, 3], [4, 4, 2], false, false, 3, 4],
    ['of nothing', [2, 0], [3, 2], false, false, 0, 3],
  ] as const)(
    'matrices that cannot be multiplied are named: %s',
    async (_name, a, b, transposeA, transposeB, columns, rows) => {
      const product = () => tf.matMul(floats(...a), floats(...b), transposeA, transposeB);
      await expect(on('wasm', product)).rejects.toMatchObject({
        code: 'UNSUPPORTED',
        message: expect.stringMatching(
          new RegExp(`\\[${a}\\] and \\[${b}\\] cannot be multiplied.* ${columns} columns.* ${rows} rows`),
        ),
      });
    },
  );

  it('segments that do not fit their tensor are named', async () => {
    const sum = () => tf.unsortedSegmentSum(floats(3, 2), tf.tensor1d([0, 0, 1, 1, 2], 'int32'), 3);
    await expect(on('wasm', sum)).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringMatching(
        /segments have the shape \[5\].*the shape \[3,2\].*one segment for each/,
      ),
    });
  });

  it('sums of segments of integers are integers, to the last digit', async () => {
    const sums = await on('wasm', () => {
      const x = tf.tensor2d(
        [
          [2 ** 24 + 1, 1],
          [1, 2],
          [5, 6],
          [7, 8],
        ],
        [4, 2],
        'int32',
      );
      // A segment that does not exist is left out.
      const result = tf.unsortedSegmentSum(x, tf.tensor1d([2, 2, 0, 9], 'int32'), 3);
      return { dtype: result.dtype, values: result.arraySync() };
    });
    expect(sums).toEqual({
      dtype: 'int32',
      values: [
        [5, 6],
        [0, 0],
        [2 ** 24 + 2, 3],
      ],
    });
  });
});

describe('what a kernel leaves to tfjs', () => {
  /** With integers, or settings that are rare; what is right is written out. */
  const LEFT: Readonly<Record<string, [() => tf.Tensor, number[]]>> = {
    'the power of a tensor': [() => tf.pow(tf.tensor1d([2, 3]), tf.tensor1d([3, 2])), [8, 9]],
    'a power that is not common': [() => tf.pow(tf.tensor1d([2, 3]), 3), [8, 27]],
    'a power of integers': [() => tf.pow(tf.tensor1d([2, 3], 'int32'), tf.scalar(2, 'int32')), [4, 9]],
    'the power of a number of higher rank': [() => tf.pow(tf.scalar(3), tf.tensor2d([[2]])), [9]],
    'a cast to integers': [() => tf.cast(tf.tensor1d([1.9, -1.9, 0]), 'int32'), [1, -1, 0]],
    'integers that are padded': [() => tf.pad(tf.tensor1d([1, 2], 'int32'), [[1, 1]], 7), [7, 1, 2, 7]],
    'the largest of integers': [() => tf.max(tf.tensor1d([-5, -3], 'int32')), [-3]],
    'the product of integers': [() => tf.prod(tf.tensor1d([2, 3, 4], 'int32')), [24]],
    'booleans that are turned': [() => tf.transpose(tf.tensor2d([[1, 0]], [1, 2], 'bool')), [1, 0]],
    'a choice by another shape': [
      () => run(tf.Select, { condition: tf.tensor1d([1, 0], 'bool'), t: floats(2, 2), e: tf.zeros([2, 2]) }),
      [1, 1, 0, 0],
    ],
    'a depthwise filter with very many taps': [
      () =>
        tf.depthwiseConv2d(
          floats(1, 65, 65, 1) as tf.Tensor4D,
          floats(65, 65, 1, 1) as tf.Tensor4D,
          1,
          'valid',
        ),
      [65 * 65],
    ],
    'a strided slice of integers': [
      () => tf.stridedSlice(tf.tensor1d([1, 2, 3, 4, 5], 'int32'), [0], [5], [2]),
      [1, 3, 5],
    ],
    'the largest numbers of a row': [() => tf.topk(tf.tensor1d([3, 9, 5]), 2).values, [9, 5]],
  };

  it.each(Object.entries(LEFT))('%s', async (_name, [make, expected]) => {
    const values = await on('wasm', () => [...make().dataSync()]);
    expect(values).toEqual(expected);
  });
});

describe('the kernels', () => {
  it('have one name each, and say why they are there', () => {
    const all = [...TRAINING_KERNELS, ...OWN_KERNELS];
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    for (const { state } of all) expect(['added', 'corrected', 'fast']).toContain(state);
  });

  it('of names that tfjs does not know carry the name of this project', () => {
    const known = new Set(Object.values(tf).filter((value) => typeof value === 'string'));
    for (const { name } of TRAINING_KERNELS) expect(known).toContain(name);
    for (const { name, state } of OWN_KERNELS) {
      expect(name).toMatch(/^Hookline[A-Z]/);
      expect(known).not.toContain(name);
      expect(state).toBe('added');
    }
  });
});

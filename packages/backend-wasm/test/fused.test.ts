import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import { on } from './backends.js';
import { type AnyTensor, type Case, input } from './cases/case.js';
import { differences } from './compare.js';

beforeAll(async () => {
  await enableTraining();
});

const ACTIVATIONS = ['linear', 'relu', 'relu6', 'elu', 'sigmoid', 'leakyrelu', 'prelu'] as const;
type Activation = (typeof ACTIVATIONS)[number];

const settings = (activation: Activation, weights: AnyTensor | undefined) => ({
  activation,
  leakyreluAlpha: 0.3,
  ...(weights && { preluActivationWeights: weights }),
});

const alpha = (activation: Activation, shape: number[]) => (activation === 'prelu' ? [input(shape)] : []);

/** Without, with one number for each column, and with shapes that have to be added in a second pass. */
const BIASES: readonly (number[] | undefined)[] = [undefined, [5], [1, 5], [1], [3, 1], [3, 5]];

const PRODUCTS: readonly Case[] = ACTIVATIONS.flatMap((activation) =>
  BIASES.flatMap((bias) =>
    [
      [false, false],
      [true, false],
      [false, true],
      [true, true],
    ].map(([transposeA, transposeB]): Case => {
      const [a, b] = [transposeA ? [4, 3] : [3, 4], transposeB ? [5, 4] : [4, 5]];
      return {
        name: `matMul with bias [${bias}] and ${activation}, transposed ${transposeA} ${transposeB}`,
        inputs: [input(a), input(b), ...(bias ? [input(bias)] : []), ...alpha(activation, [5])],
        run: (x: AnyTensor, y: AnyTensor, ...rest: AnyTensor[]) =>
          tf.fused.matMul({
            a: x,
            b: y,
            transposeA: transposeA!,
            transposeB: transposeB!,
            ...(bias && { bias: rest[0] }),
            ...settings(activation, activation === 'prelu' ? rest.at(-1) : undefined),
          }),
        gradients: [],
      };
    }),
  ),
);

const CONVOLUTIONS: readonly Case[] = ACTIVATIONS.flatMap((activation) =>
  [1, 2].flatMap((strides) =>
    [1, 3].flatMap((size): Case[] => {
      const name = `with bias, ${activation}, stride ${strides}, filter ${size}`;
      return [
        {
          name: `conv2d ${name}`,
          inputs: [input([2, 5, 6, 3]), input([size, size, 3, 7]), input([7]), ...alpha(activation, [7])],
          run: (x: AnyTensor, filter: AnyTensor, bias: AnyTensor, weights?: AnyTensor) =>
            tf.fused.conv2d({ x, filter, bias, strides, pad: 'same', ...settings(activation, weights) }),
          gradients: [],
        },
        {
          name: `depthwiseConv2d ${name}`,
          inputs: [input([2, 5, 6, 3]), input([size, size, 3, 2]), input([6]), ...alpha(activation, [6])],
          run: (x: AnyTensor, filter: AnyTensor, bias: AnyTensor, weights?: AnyTensor) =>
            tf.fused.depthwiseConv2d({
              x,
              filter,
              bias,
              strides,
              pad: 'same',
              ...settings(activation, weights),
            }),
          gradients: [],
        },
      ];
    }),
  ),
);

describe('a product with its bias and activation in one operation', () => {
  it('gives what cpu gives, for every activation, bias and transpose', async () => {
    expect(await differences(PRODUCTS)).toEqual([]);
  });

  it('gives what cpu gives, for every activation of a convolution', async () => {
    expect(await differences(CONVOLUTIONS)).toEqual([]);
  });

  it('is the product, then the bias, then the activation', async () => {
    const [fused, separate] = await on('wasm', () => {
      const [a, b, bias] = [
        tf.randomUniform([7, 9]),
        tf.randomUniform([9, 13]),
        tf.randomUniform([13], -4, 1),
      ];
      const [left, right] = [a as tf.Tensor2D, b as tf.Tensor2D];
      return [
        tf.fused.matMul({ a: left, b: right, bias, activation: 'relu' }),
        tf.relu(tf.add(tf.matMul(left, right), bias)),
      ].map((tensor) => [...tensor.dataSync()]);
    });
    expect(fused).toEqual(separate);
  });

  it.each(['NHWC', 'NCHW'] as const)('convolves images in the format %s alike', async (format) => {
    const isLast = format === 'NHWC';
    const shape = (n: number, h: number, w: number, c: number) => (isLast ? [n, h, w, c] : [n, c, h, w]);
    const values = await on('wasm', () => {
      const x = tf.reshape(tf.range(0, 2 * 5 * 4 * 3), [2, 5, 4, 3]) as tf.Tensor4D;
      const filter = tf.reshape(tf.range(-9, 9), [3, 2, 3, 1]) as tf.Tensor4D;
      const images = isLast ? x : (tf.transpose(x, [0, 3, 1, 2]) as tf.Tensor4D);
      const run = (a: tf.Tensor, w: tf.Tensor) =>
        tf.conv2d(a as tf.Tensor4D, w as tf.Tensor4D, [2, 1], 'valid', format);
      const y = run(images, filter);
      expect(y.shape).toEqual(shape(2, 2, 3, 1));
      const [dx, dw] = tf.grads(run)([images, filter], tf.ones(y.shape));
      const last = (t: tf.Tensor) => (isLast ? t : tf.transpose(t, [0, 2, 3, 1]));
      return [last(y), last(dx!), dw!].map((t) => [...t.dataSync()]);
    });
    const expected = await on('cpu', () => {
      const x = tf.reshape(tf.range(0, 2 * 5 * 4 * 3), [2, 5, 4, 3]) as tf.Tensor4D;
      const filter = tf.reshape(tf.range(-9, 9), [3, 2, 3, 1]) as tf.Tensor4D;
      const run = (a: tf.Tensor, w: tf.Tensor) =>
        tf.conv2d(a as tf.Tensor4D, w as tf.Tensor4D, [2, 1], 'valid');
      const y = run(x, filter);
      return [y, ...tf.grads(run)([x, filter], tf.ones(y.shape))].map((t) => [...t.dataSync()]);
    });
    expect(values).toEqual(expected);
  });
});

import * as tf from '@tensorflow/tfjs-core';
import { type AnyTensor, type Case, input } from './case.js';

const CONVOLUTIONS: readonly {
  x: [number, number, number, number];
  filter: [number, number, number];
  strides?: number | [number, number];
  pad?: 'same' | 'valid' | number | [[number, number], [number, number], [number, number], [number, number]];
  dilations?: number | [number, number];
}[] = [
  { x: [1, 1, 1, 1], filter: [1, 1, 1] },
  { x: [2, 5, 5, 3], filter: [1, 1, 5] },
  { x: [2, 6, 7, 3], filter: [3, 3, 5] },
  { x: [2, 6, 7, 4], filter: [3, 2, 8], pad: 'same' },
  { x: [1, 9, 8, 2], filter: [3, 3, 9], strides: 2, pad: 'same' },
  { x: [1, 9, 8, 2], filter: [2, 2, 4], strides: 3 },
  { x: [2, 8, 8, 1], filter: [5, 5, 4], strides: [2, 1], pad: 'same' },
  { x: [1, 7, 7, 3], filter: [1, 1, 4], strides: 2 },
  { x: [1, 7, 6, 3], filter: [4, 3, 4], strides: [1, 2], pad: 2 },
  {
    x: [1, 7, 6, 3],
    filter: [3, 3, 4],
    pad: [
      [0, 0],
      [2, 0],
      [1, 3],
      [0, 0],
    ],
  },
  { x: [1, 12, 11, 2], filter: [3, 3, 3], dilations: 2 },
  { x: [1, 12, 11, 2], filter: [3, 2, 3], dilations: [1, 3], pad: 'same' },
  { x: [1, 3, 3, 2], filter: [3, 3, 2], strides: 4, pad: 'same' },
  { x: [3, 20, 20, 5], filter: [3, 3, 17], pad: 'same' },
];

export function convCases(): Case[] {
  return [
    ...CONVOLUTIONS.flatMap(({ x, filter, strides = 1, pad = 'valid', dilations = 1 }) => {
      const [height, width, filters] = filter;
      const weights = [height, width, x[3], filters];
      const name = `conv2d [${x}] with [${weights}] strides ${strides} pad ${JSON.stringify(pad)} dilations ${dilations}`;
      // Stock has no gradient with dilations; those of the kernels are checked below.
      const gradients = Math.max(...[dilations].flat()) > 1 ? [] : [0, 1];
      return [
        {
          name,
          inputs: [input(x), input(weights)],
          run: (image: AnyTensor, w: AnyTensor) =>
            tf.conv2d(image, w, strides, pad as 'same', 'NHWC', dilations),
          gradients,
        },
        {
          name: `${name} gradients of the kernels`,
          inputs: [input(x), input(weights)],
          run: (image: AnyTensor, w: AnyTensor) =>
            kernelGradients(image, w, { strides, pad, dilations, dataFormat: 'NHWC' }),
          gradients: [],
        },
      ];
    }),
    ...depthwiseCases(),
    {
      name: 'conv2dTranspose',
      inputs: [input([2, 4, 5, 3]), input([3, 3, 6, 3])],
      run: (x: AnyTensor, w: AnyTensor) => tf.conv2dTranspose(x, w, [2, 8, 10, 6], 2, 'same'),
    },
    ...(['linear', 'relu', 'relu6', 'elu', 'sigmoid', 'leakyrelu', 'prelu'] as const).map(
      (activation): Case => ({
        name: `fused.conv2d with bias and ${activation}`,
        inputs: [
          input([2, 6, 6, 3]),
          input([3, 3, 3, 7]),
          input([7]),
          ...(activation === 'prelu' ? [input([7])] : []),
        ],
        run: (x: AnyTensor, filter: AnyTensor, bias: AnyTensor, weights?: AnyTensor) =>
          tf.fused.conv2d({
            x,
            filter,
            bias,
            strides: 1,
            pad: 'same',
            activation,
            leakyreluAlpha: 0.3,
            ...(weights && { preluActivationWeights: weights }),
          }),
        gradients: activation === 'linear' || activation === 'relu' ? [0, 1, 2] : [],
      }),
    ),
    ...CONV3D,
  ];
}

/** Runs the kernels of both gradients as they are, also where tfjs's gradient functions would not call them. */
function kernelGradients(x: tf.Tensor, filter: tf.Tensor, attrs: Record<string, unknown>): tf.Tensor[] {
  const run = (name: string, inputs: tf.NamedTensorMap, more: Record<string, unknown>) =>
    tf.engine().runKernel(name, inputs, { ...attrs, ...more } as tf.NamedAttrMap) as tf.Tensor;
  if (tf.getBackend() === 'cpu' && Math.max(...[attrs.dilations as number].flat()) > 1) {
    // The kernels of cpu know no dilations, but a filter with zeros in between is the same.
    return dilatedGradients(x, filter, attrs, run);
  }
  const dy = likeOutput(run(tf.Conv2D, { x, filter }, {}));
  return [
    run(tf.Conv2DBackpropInput, { dy, filter }, { inputShape: x.shape }),
    run(tf.Conv2DBackpropFilter, { x, dy }, { filterShape: filter.shape }),
  ];
}

function dilatedGradients(
  x: tf.Tensor,
  filter: tf.Tensor,
  attrs: Record<string, unknown>,
  run: (name: string, inputs: tf.NamedTensorMap, more: Record<string, unknown>) => tf.Tensor,
): tf.Tensor[] {
  const [dh, dw] =
    [attrs.dilations as number].flat().length === 2
      ? (attrs.dilations as number[])
      : [attrs.dilations as number, attrs.dilations as number];
  const [h, w, c, f] = filter.shape as [number, number, number, number];
  const dy = likeOutput(run(tf.Conv2D, { x, filter }, {}));
  const wide = tf.buffer([(h - 1) * dh! + 1, (w - 1) * dw! + 1, c, f]);
  const values = filter.arraySync() as number[][][][];
  for (let i = 0; i < h; i++)
    for (let j = 0; j < w; j++)
      for (let k = 0; k < c; k++)
        for (let l = 0; l < f; l++) wide.set(values[i]![j]![k]![l]!, i * dh!, j * dw!, k, l);
  const plain = { dilations: 1 };
  const dFilter = run(tf.Conv2DBackpropFilter, { x, dy }, { ...plain, filterShape: wide.shape });
  return [
    run(tf.Conv2DBackpropInput, { dy, filter: wide.toTensor() }, { ...plain, inputShape: x.shape }),
    tf.stridedSlice(dFilter, [0, 0, 0, 0], wide.shape, [dh!, dw!, 1, 1]),
  ];
}

/** A gradient for the output that is the same on both backends. */
function likeOutput(y: tf.Tensor): tf.Tensor {
  return tf.tensor(
    Array.from({ length: y.size }, (_, i) => Math.sin(i * 1.7)),
    y.shape,
  );
}

function depthwiseCases(): Case[] {
  const variants: readonly [
    number[],
    number[],
    number | [number, number],
    'same' | 'valid' | number,
    number,
  ][] = [
    [[1, 5, 5, 1], [3, 3, 1, 1], 1, 'same', 1],
    [[2, 6, 7, 4], [3, 3, 4, 1], 1, 'same', 1],
    [[2, 7, 7, 5], [3, 2, 5, 1], 2, 'same', 1],
    [[1, 8, 9, 3], [2, 3, 3, 2], [2, 1], 'valid', 1],
    [[1, 9, 9, 6], [3, 3, 6, 3], 1, 1, 1],
    [[1, 10, 11, 4], [3, 3, 4, 2], 1, 'same', 2],
  ];
  return variants.map(
    ([x, filter, strides, pad, dilations]): Case => ({
      name: `depthwiseConv2d [${x}] with [${filter}] strides ${strides} pad ${pad} dilations ${dilations}`,
      inputs: [input(x), input(filter)],
      run: (image: AnyTensor, w: AnyTensor) =>
        tf.depthwiseConv2d(image, w, strides, pad as 'same', 'NHWC', dilations),
      gradients: dilations > 1 ? [] : [0, 1],
    }),
  );
}

const CONV3D: readonly Case[] = [
  {
    name: 'conv3d same with strides',
    inputs: [input([1, 5, 6, 4, 2]), input([3, 2, 3, 2, 3])],
    run: (x: AnyTensor, w: AnyTensor) => tf.conv3d(x, w, [2, 1, 2], 'same'),
  },
  {
    name: 'conv3d valid',
    inputs: [input([2, 4, 5, 6, 3]), input([2, 3, 3, 3, 9])],
    run: (x: AnyTensor, w: AnyTensor) => tf.conv3d(x, w, 1, 'valid'),
  },
];

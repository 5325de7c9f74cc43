import * as tf from '@tensorflow/tfjs-core';
import { checkGradients, type GradientCase } from './gradient-check.js';

const missing = (kernel: string) => new RegExp(`gradient function not found for ${kernel}`);

const { exp, tanh, sigmoid } = tf;

/** The gradient of the sum of squares of a function: it depends on the operand again. */
const slope = (compute: (x: tf.Tensor) => tf.Tensor) => (x: tf.Tensor) =>
  tf.grad((v) => tf.sum(tf.square(compute(v))))(x);

type Pool = (x: tf.Tensor) => tf.Tensor;
const pools: [string, string, number[], Pool][] = [
  ['maxPool', 'MaxPoolGrad', [1, 5, 4, 2], (x) => tf.maxPool(x as tf.Tensor4D, [3, 2], [1, 2], 'same')],
  ['avgPool', 'AvgPoolGrad', [1, 5, 4, 2], (x) => tf.avgPool(x as tf.Tensor4D, 3, 2, 'same')],
  [
    'maxPool3d',
    'MaxPool3DGrad',
    [1, 3, 4, 3, 1],
    (x) => tf.maxPool3d(x as tf.Tensor5D, [1, 2, 3], 1, 'same'),
  ],
  ['avgPool3d', 'AvgPool3DGrad', [1, 3, 4, 3, 1], (x) => tf.avgPool3d(x as tf.Tensor5D, 2, 2, 'same')],
  [
    'resizeBilinear',
    'ResizeBilinearGrad',
    [2, 2, 3, 2],
    (x) => tf.image.resizeBilinear(x as tf.Tensor4D, [4, 5]),
  ],
  [
    'resizeNearestNeighbor',
    'ResizeNearestNeighborGrad',
    [2, 2, 3, 2],
    (x) => tf.image.resizeNearestNeighbor(x as tf.Tensor4D, [4, 5]),
  ],
];

type Convolve = (x: tf.Tensor, filter: tf.Tensor) => tf.Tensor;
const convolutions: [string, string, string | undefined, number[][], Convolve][] = [
  [
    'conv2d',
    'Conv2DBackpropFilter',
    undefined,
    [
      [1, 4, 5, 2],
      [2, 3, 2, 2],
    ],
    (x, filter) => tf.conv2d(x as tf.Tensor4D, filter as tf.Tensor4D, [2, 1], 'same'),
  ],
  [
    'depthwiseConv2d',
    'DepthwiseConv2dNativeBackpropFilter',
    'DepthwiseConv2dNativeBackpropInput',
    [
      [1, 4, 5, 2],
      [2, 3, 2, 2],
    ],
    (x, filter) => tf.depthwiseConv2d(x as tf.Tensor4D, filter as tf.Tensor4D, 1, 'valid'),
  ],
  [
    'conv3d',
    'Conv3DBackpropFilterV2',
    undefined,
    [
      [1, 3, 3, 3, 1],
      [2, 2, 2, 1, 2],
    ],
    (x, filter) => tf.conv3d(x as tf.Tensor5D, filter as tf.Tensor5D, 1, 'same'),
  ],
];

checkGradients('gradients of gradients', [
  ...pools.map(
    ([name, kernel, shape, pool]): GradientCase => ({
      name,
      compute: (x) => slope(pool)(x!),
      operands: [shape],
      stock: new RegExp(`not found for ${kernel}|does not match the shape`),
    }),
  ),
  ...convolutions.flatMap(([name, ofFilter, ofInput, operands, convolve]): GradientCase[] => [
    {
      name: `${name}: its filter, as in learning to learn`,
      compute: (x, filter) => slope((w) => convolve(x!, w))(filter!),
      operands,
      stock: /gradient function not found|not registered/,
    },
    ...(ofInput
      ? [
          {
            name: `${name}: its images, as in a gradient penalty`,
            compute: (x: tf.Tensor, filter: tf.Tensor) => slope((v) => convolve(v, filter))(x),
            operands,
            stock: missing(`(${ofInput}|${ofFilter})`),
          } as GradientCase,
        ]
      : []),
  ]),
  // These save their result, which stock loses track of: no error, but a wrong number.
  ...Object.entries({ exp, tanh, sigmoid }).map(
    ([name, compute]): GradientCase => ({
      name,
      compute: (x) => slope((v) => compute(v))(x!),
      operands: [[2, 4]],
      stock: 'wrong',
    }),
  ),
  {
    name: 'softmax',
    compute: (x) => slope((v) => tf.softmax(v))(x!),
    operands: [[2, 4]],
    stock: 'wrong',
  },
  {
    name: 'logSoftmax',
    compute: (x) => slope((v) => tf.logSoftmax(v))(x!),
    operands: [[2, 4]],
    stock: 'wrong',
  },
  {
    name: 'a gradient penalty of a network with tanh',
    compute: (x, w) => {
      const score = (v: tf.Tensor) => tf.sum(tf.tanh(tf.matMul(v as tf.Tensor2D, w as tf.Tensor2D)));
      return tf.square(tf.sub(tf.norm(tf.grad(score)(x!), 2, 1), 1));
    },
    operands: [
      [2, 3],
      [3, 4],
    ],
    stock: /Cannot compute gradient of y=f\(x\)/,
  },
  {
    name: 'elu',
    compute: (x) => slope((v) => tf.elu(v))(x!),
    operands: [[2, 4]],
    stock: missing('EluGrad'),
  },
]);

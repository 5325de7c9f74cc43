import * as tf from '@tensorflow/tfjs-core';
import { checkGradients, type GradientCase } from './gradient-check.js';

const refused = /dilation rates greater than 1/;
// wasm has no kernels for the gradients of convolutions, or wrong ones.
const backends = ['cpu'] as const;

const dilated = (['same', 'valid'] as const).flatMap((pad): GradientCase[] => [
  {
    name: `conv2d, dilations 2 and 3, ${pad}`,
    compute: (x, filter) => tf.conv2d(x as tf.Tensor4D, filter as tf.Tensor4D, 1, pad, 'NHWC', [2, 3]),
    operands: [
      [1, 5, 6, 2],
      [2, 2, 2, 2],
    ],
    stock: refused,
    backends,
  },
  {
    name: `conv1d, dilation 2, ${pad}`,
    compute: (x, filter) => tf.conv1d(x as tf.Tensor3D, filter as tf.Tensor3D, 1, pad, 'NWC', 2),
    operands: [
      [2, 6, 2],
      [3, 2, 1],
    ],
    stock: refused,
    backends,
  },
  {
    name: `depthwiseConv2d, dilation 2, ${pad}`,
    compute: (x, filter) => tf.depthwiseConv2d(x as tf.Tensor4D, filter as tf.Tensor4D, 1, pad, 'NHWC', 2),
    operands: [
      [1, 5, 4, 2],
      [2, 2, 2, 2],
    ],
    stock: refused,
    backends,
  },
  {
    name: `conv3d, dilation 2, ${pad}`,
    compute: (x, filter) => tf.conv3d(x as tf.Tensor5D, filter as tf.Tensor5D, 1, pad, 'NDHWC', [2, 2, 2]),
    operands: [
      [1, 3, 4, 3, 1],
      [2, 2, 2, 1, 2],
    ],
    stock: refused,
    backends,
  },
]);

checkGradients('convolutions', [
  ...dilated,
  {
    name: 'conv3dTranspose',
    compute: (x, filter) =>
      tf.conv3dTranspose(x as tf.Tensor5D, filter as tf.Tensor5D, [1, 4, 4, 2, 1], [2, 2, 1], 'same'),
    operands: [
      [1, 2, 2, 2, 2],
      [2, 2, 2, 1, 2],
    ],
    stock: /gradient function not found for Conv3DBackpropInputV2/,
    backends,
  },
]);

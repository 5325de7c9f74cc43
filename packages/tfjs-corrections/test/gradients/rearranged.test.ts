import * as tf from '@tensorflow/tfjs-core';
import { checkGradients, type GradientCase } from './gradient-check.js';

const missing = (kernel: string) => new RegExp(`gradient function not found for ${kernel}`);
type Slice = Parameters<typeof tf.stridedSlice>;
const sliced = (
  name: string,
  operand: number[],
  ...args: Slice extends [unknown, ...infer Rest] ? Rest : never
) =>
  ({
    name: `stridedSlice, ${name}`,
    compute: (x) => tf.stridedSlice(x!, ...args),
    operands: [operand],
    stock: missing('StridedSlice'),
  }) satisfies GradientCase;

checkGradients('rearranged elements', [
  sliced('every second', [2, 5], [0, 0], [2, 5], [1, 2]),
  sliced('every third from the second', [7], [1], [7], [3]),
  sliced('backwards', [3, 4], [2, 3], [-4, -5], [-1, -2]),
  sliced('everything', [2, 3], [0, 0], [2, 3], [1, 1]),
  sliced('a part', [3, 4], [1, 1], [3, 3], [1, 1]),
  sliced('with a dropped axis', [3, 4], [1, 1], [2, 4], [1, 1], 0, 0, 0, 0, 1),
  sliced('with a new axis', [3, 4], [0, 0, 1], [0, 3, 4], [1, 1, 2], 0, 0, 0, 1),
  sliced('with an ellipsis', [2, 2, 5], [0, 1], [0, 5], [1, 2], 0, 0, 1),
  sliced('with open ends', [4, 5], [1, 2], [3, 4], [1, 2], 1, 2),
  {
    name: 'depthToSpace',
    compute: (x) => tf.depthToSpace(x as tf.Tensor4D, 2),
    operands: [[2, 2, 3, 8]],
    stock: missing('DepthToSpace'),
  },
  { name: 'diag', compute: (x) => tf.diag(x!), operands: [[2, 2]], stock: missing('Diag') },
  {
    name: 'flipLeftRight',
    compute: (x) => tf.image.flipLeftRight(x as tf.Tensor4D),
    operands: [[1, 2, 3, 2]],
    stock: missing('FlipLeftRight'),
  },
  ...(['reflect', 'symmetric'] as const).map(
    (mode): GradientCase => ({
      name: `mirrorPad, ${mode}`,
      compute: (x) =>
        tf.mirrorPad(
          x!,
          [
            [1, 0],
            [2, 1],
          ],
          mode,
        ),
      operands: [[2, 3]],
      stock: 'wrong',
    }),
  ),
  {
    name: 'tile of rank 5',
    compute: (x) => tf.tile(x!, [2, 1, 3, 1, 2]),
    operands: [[1, 2, 1, 2, 2]],
    stock: /not implemented for rank-5/,
  },
  {
    name: 'broadcastTo rank 5',
    compute: (x) => tf.broadcastTo(x!, [2, 2, 1, 2, 3] as never),
    operands: [[2, 1, 2, 3]],
    stock: /not implemented for rank-5/,
  },
]);

import * as tf from '@tensorflow/tfjs-core';
import { type AnyTensor, type Case, indices, input } from './case.js';

/** What moves, repeats, picks or resizes elements. */
export function shapeCases(): Case[] {
  return [
    ...(
      [
        [
          [3, 4],
          [1, 0],
        ],
        [
          [2, 3, 4],
          [0, 2, 1],
        ],
        [
          [2, 3, 4],
          [2, 0, 1],
        ],
        [
          [2, 3, 4, 5],
          [0, 2, 1, 3],
        ],
        [
          [2, 3, 4, 5],
          [3, 1, 0, 2],
        ],
        [
          [2, 1, 3, 1, 2, 2],
          [5, 3, 1, 4, 0, 2],
        ],
        [
          [1, 5, 1],
          [2, 1, 0],
        ],
        [
          [9, 13],
          [1, 0],
        ],
        [
          [2, 3, 2, 2, 3],
          [4, 2, 0, 3, 1],
        ],
      ] as const
    ).map(
      ([shape, perm]): Case => ({
        name: `transpose [${shape}] ${perm}`,
        inputs: [input([...shape])],
        run: (x: AnyTensor) => tf.transpose(x, [...perm]),
      }),
    ),
    {
      name: 'transpose of int32 and bool',
      inputs: [indices([3, 5], 9), { shape: [3, 4], dtype: 'bool' }],
      run: (a: AnyTensor, b: AnyTensor) => [tf.transpose(a), tf.transpose(b)],
    },
    ...(
      [
        [[3], [4]],
        [
          [2, 3],
          [2, 2],
        ],
        [
          [2, 3, 2],
          [1, 3, 1],
        ],
        [
          [1, 4],
          [5, 1],
        ],
        [
          [2, 2, 1, 2],
          [1, 2, 3, 2],
        ],
      ] as const
    ).map(
      ([shape, reps]): Case => ({
        name: `tile [${shape}] ${reps}`,
        inputs: [input([...shape])],
        run: (x: AnyTensor) => tf.tile(x, [...reps]),
      }),
    ),
    {
      name: 'broadcastTo',
      inputs: [input([3, 1, 2])],
      run: (x: AnyTensor) => tf.broadcastTo(x, [2, 3, 4, 2]),
    },
    ...(
      [
        [[6], [2], [3]],
        [
          [4, 5],
          [1, 2],
          [2, -1],
        ],
        [
          [3, 4, 5],
          [0, 1, 2],
          [3, 2, 2],
        ],
        [
          [2, 3, 4, 5],
          [1, 0, 2, 1],
          [1, 3, 1, 3],
        ],
        [
          [2, 2, 2, 3, 3],
          [0, 1, 0, 1, 1],
          [2, 1, 2, 1, 2],
        ],
        [
          [3, 4],
          [0, 0],
          [0, 4],
        ],
      ] as const
    ).map(
      ([shape, begin, size]): Case => ({
        name: `slice [${shape}] from ${begin} of ${size}`,
        inputs: [input([...shape])],
        run: (x: AnyTensor) => tf.slice(x, [...begin], [...size]),
      }),
    ),
    ...[0, 1, -1].map(
      (axis): Case => ({
        name: `concat along ${axis}`,
        inputs: [input(axis === 0 ? [1, 3, 2] : axis === 1 ? [2, 1, 2] : [2, 3, 5]), input([2, 3, 2])],
        run: (a: AnyTensor, b: AnyTensor) => tf.concat([a, b], axis),
      }),
    ),
    {
      name: 'concat with an empty one',
      inputs: [input([0, 3]), input([2, 3])],
      run: (a: AnyTensor, b: AnyTensor) => tf.concat([a, b], 0),
      gradients: [],
    },
    {
      name: 'split and stack',
      inputs: [input([4, 6])],
      run: (x: AnyTensor) => tf.stack(tf.split(x, 3, 1), 1),
    },
    {
      name: 'unstack',
      inputs: [input([3, 4, 2])],
      run: (x: AnyTensor) => tf.add(...(tf.unstack(x, 1).slice(0, 2) as [tf.Tensor, tf.Tensor])),
    },
    {
      name: 'pad',
      inputs: [input([2, 3])],
      run: (x: AnyTensor) =>
        tf.pad(
          x,
          [
            [1, 2],
            [0, 3],
          ],
          0.5,
        ),
    },
    {
      name: 'pad of nothing',
      inputs: [input([3, 2, 2])],
      run: (x: AnyTensor) =>
        tf.pad(x, [
          [0, 0],
          [0, 0],
          [0, 0],
        ]),
    },
    {
      name: 'mirrorPad',
      inputs: [input([4, 5])],
      run: (x: AnyTensor) =>
        tf.mirrorPad(
          x,
          [
            [2, 1],
            [1, 2],
          ],
          'reflect',
        ),
    },
    ...[0, 1, [0, 2], -1].map(
      (axis): Case => ({
        name: `reverse ${axis}`,
        inputs: [input([2, 3, 4])],
        run: (x: AnyTensor) => tf.reverse(x, axis),
      }),
    ),
    ...[0, 1, 2, -1].map(
      (axis): Case => ({
        name: `gather along ${axis}`,
        inputs: [input([4, 5, 6]), indices([2, 3], 4)],
        run: (x: AnyTensor, i: AnyTensor) => tf.gather(x, i, axis),
        gradients: [0],
      }),
    ),
    {
      name: 'gather of nothing',
      inputs: [input([4, 5]), indices([0], 4)],
      run: (x: AnyTensor, i: AnyTensor) => tf.gather(x, i),
      gradients: [],
    },
    {
      name: 'unsortedSegmentSum',
      inputs: [input([7, 5]), indices([7], 4)],
      run: (x: AnyTensor, s: AnyTensor) => tf.unsortedSegmentSum(x, s, 4),
      gradients: [0],
    },
    {
      name: 'gatherND and scatterND',
      inputs: [input([4, 5, 3]), indices([6, 2], 4)],
      run: (x: AnyTensor, i: AnyTensor) => tf.scatterND(i, tf.gatherND(x, i), [4, 5, 3]),
      gradients: [],
    },
    {
      name: 'tensorScatterUpdate',
      inputs: [input([4, 3]), input([2, 3])],
      run: (x: AnyTensor, u: AnyTensor) =>
        tf.tensorScatterUpdate(tf.clone(x), tf.tensor2d([[3], [1]], [2, 1], 'int32'), u),
      gradients: [],
    },
    {
      name: 'stridedSlice',
      inputs: [input([6, 5, 4])],
      run: (x: AnyTensor) => tf.stridedSlice(x, [5, 0, 1], [0, 5, 4], [-2, 2, 1]),
      gradients: [],
    },
    {
      name: 'stridedSlice with a new axis',
      inputs: [input([6, 5])],
      run: (x: AnyTensor) => tf.stridedSlice(x, [0, 0, 1], [6, 1, 5], [3, 1, 2], 0, 0, 0, 2, 0),
      gradients: [],
    },
    {
      name: 'batchNorm',
      inputs: [input([2, 3, 3, 4]), input([4]), input([4], [0.5, 2]), input([4]), input([4])],
      run: (x: AnyTensor, m: AnyTensor, v: AnyTensor, o: AnyTensor, s: AnyTensor) =>
        tf.batchNorm(x, m, v, o, s),
    },
    {
      name: 'resizeBilinear',
      inputs: [input([1, 4, 4, 2])],
      run: (x: AnyTensor) => tf.image.resizeBilinear(x, [7, 7]),
    },
    {
      name: 'resizeNearestNeighbor',
      inputs: [input([1, 4, 4, 2])],
      run: (x: AnyTensor) => tf.image.resizeNearestNeighbor(x, [8, 8]),
    },
    {
      name: 'localResponseNormalization',
      inputs: [input([1, 3, 3, 5])],
      run: (x: AnyTensor) => tf.localResponseNormalization(x, 2),
    },
    {
      name: 'spaceToBatchND and back',
      inputs: [input([1, 4, 4, 2])],
      run: (x: AnyTensor) =>
        tf.batchToSpaceND(
          tf.spaceToBatchND(
            x,
            [2, 2],
            [
              [0, 0],
              [0, 0],
            ],
          ),
          [2, 2],
          [
            [0, 0],
            [0, 0],
          ],
        ),
    },
    { name: 'oneHot', inputs: [indices([5], 4)], run: (i: AnyTensor) => tf.oneHot(i, 4), gradients: [] },
    {
      name: 'onesLike and zerosLike',
      inputs: [input([3, 2])],
      run: (x: AnyTensor) => tf.add(tf.onesLike(x), tf.mul(tf.zerosLike(x), x)),
      gradients: [],
    },
    {
      name: 'expandDims and squeeze',
      inputs: [input([3, 1, 2])],
      run: (x: AnyTensor) => tf.expandDims(tf.squeeze(x), 1),
    },
  ];
}

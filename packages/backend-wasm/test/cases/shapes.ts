import * as tf from '@tensorflow/tfjs-core';
import { type AnyTensor, type Case, indices, input } from './case.js';

// biome-ignore lint/suspicious/noExplicitAny: operations by name.
const ops: any = tf;

const REDUCTIONS: readonly [number[], number | number[] | undefined][] = [
  [[7], undefined],
  [[3, 5], 0],
  [[3, 5], 1],
  [[3, 5], -1],
  [
    [2, 3, 4, 5],
    [1, 2],
  ],
  [
    [2, 3, 4, 5],
    [0, 2],
  ],
  [
    [2, 3, 4, 5],
    [1, 3],
  ],
  [
    [2, 3, 4, 5],
    [0, 1, 3],
  ],
  [[4, 1, 3], 1],
  [[300, 20], 0],
  [[2, 600], 1],
  [[2, 150, 33], 1],
  [[], undefined],
];

const EQUATIONS: readonly [string, ...number[][]][] = [
  ['ij->ji', [3, 4]],
  ['ij->', [3, 4]],
  ['ij->j', [3, 4]],
  ['ij,jk->ik', [3, 4], [4, 5]],
  ['ij,kj->ik', [3, 4], [5, 4]],
  ['bij,bjk->bik', [2, 3, 4], [2, 4, 5]],
  ['bqhd,bkhd->bhqk', [2, 3, 4, 5], [2, 6, 4, 5]],
  ['i,j->ij', [3], [4]],
  ['ij,ij->', [3, 4], [3, 4]],
  ['ij,j->i', [3, 4], [4]],
  ['abc,cd->abd', [2, 3, 4], [4, 5]],
];

export function shapeCases(): Case[] {
  return [
    ...REDUCTIONS.flatMap(([shape, axis]) =>
      (['sum', 'mean', 'max', 'min', 'prod'] as const).flatMap((name) =>
        [false, true].map(
          (keep): Case => ({
            name: `${name} of [${shape}] over ${axis} ${keep ? 'kept' : ''}`,
            inputs: [input(shape, name === 'prod' ? [0.9, 1.1] : [-1, 1])],
            run: (x: AnyTensor) => ops[name](x, axis, keep),
            // The one for prod needs methods that only the union package has.
            gradients: name === 'prod' ? [] : [0],
          }),
        ),
      ),
    ),
    {
      name: 'sum of int32',
      inputs: [{ shape: [3, 4], dtype: 'int32', range: [0, 9] }],
      run: (x: AnyTensor) => tf.sum(x, 0),
    },
    { name: 'sum of nothing', inputs: [input([0, 3])], run: (x: AnyTensor) => tf.sum(x, 0), gradients: [] },
    {
      name: 'sum over an axis of none',
      inputs: [input([3, 0])],
      run: (x: AnyTensor) => tf.sum(x, 1),
      gradients: [],
    },
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
    ...['cumsum', 'cumprod'].flatMap((name) =>
      [0, 1, 2].flatMap((axis) =>
        [
          [false, false],
          [true, false],
          [false, true],
          [true, true],
        ].map(
          ([exclusive, reverse]): Case => ({
            name: `${name} along ${axis} ${exclusive} ${reverse}`,
            inputs: [input([2, 3, 4], [0.5, 1.5])],
            run: (x: AnyTensor) => ops[name](x, axis, exclusive, reverse),
            gradients: name === 'cumsum' && axis === 2 ? [0] : [],
          }),
        ),
      ),
    ),
    ...EQUATIONS.map(
      ([equation, ...shapes]): Case => ({
        name: `einsum ${equation}`,
        inputs: shapes.map((shape) => input(shape)),
        run: (...tensors: AnyTensor[]) => tf.einsum(equation, ...tensors),
        gradients: [],
      }),
    ),
    {
      name: 'batchNorm',
      inputs: [input([2, 3, 3, 4]), input([4]), input([4], [0.5, 2]), input([4]), input([4])],
      run: (x: AnyTensor, m: AnyTensor, v: AnyTensor, o: AnyTensor, s: AnyTensor) =>
        tf.batchNorm(x, m, v, o, s),
    },
    {
      name: 'moments',
      inputs: [input([5, 4, 3])],
      run: (x: AnyTensor) => {
        const { mean, variance } = tf.moments(x, [0, 1]);
        return tf.add(mean, variance);
      },
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
      name: 'topk',
      inputs: [input([3, 7])],
      run: (x: AnyTensor) => Object.values(tf.topk(x, 3)) as tf.Tensor[],
      gradients: [],
    },
    {
      name: 'argMax',
      inputs: [input([3, 7])],
      run: (x: AnyTensor) => [tf.argMax(x, 1), tf.argMin(x, 0)],
      gradients: [],
    },
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

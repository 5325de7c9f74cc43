import * as tf from '@tensorflow/tfjs-core';
import { type AnyTensor, type Case, input } from './case.js';

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

/** What joins many elements into one, or into running totals. */
export function reductionCases(): Case[] {
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
      name: 'moments',
      inputs: [input([5, 4, 3])],
      run: (x: AnyTensor) => {
        const { mean, variance } = tf.moments(x, [0, 1]);
        return tf.add(mean, variance);
      },
    },
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
  ];
}

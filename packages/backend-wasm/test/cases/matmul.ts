import * as tf from '@tensorflow/tfjs-core';
import { type AnyTensor, type Case, input } from './case.js';

const SIZES: readonly [number, number, number][] = [
  [1, 1, 1],
  [3, 5, 7],
  [4, 8, 8],
  [5, 9, 17],
  [33, 300, 20],
  [130, 16, 40],
  [2, 3, 1030],
];

const BATCHES: readonly [number[], number[]][] = [
  [[3], [3]],
  [[3], [1]],
  [[1], [4]],
  [[2, 3], []],
  [[], [2]],
  [[0], [0]],
];

const ACTIVATIONS = ['linear', 'relu', 'relu6', 'elu', 'sigmoid', 'leakyrelu', 'prelu'] as const;

export function matmulCases(): Case[] {
  const transposes = [false, true].flatMap((a) => [false, true].map((b) => [a, b] as const));
  const shapes = (m: number, k: number, n: number, ta: boolean, tb: boolean): [number[], number[]] => [
    ta ? [k, m] : [m, k],
    tb ? [n, k] : [k, n],
  ];
  return [
    ...SIZES.flatMap(([m, k, n]) =>
      transposes.map(([ta, tb]): Case => {
        const [a, b] = shapes(m, k, n, ta, tb);
        return {
          name: `matMul [${a}] x [${b}] ${ta} ${tb}`,
          inputs: [input(a), input(b)],
          run: (x: AnyTensor, y: AnyTensor) => tf.matMul(x, y, ta, tb),
        };
      }),
    ),
    ...BATCHES.flatMap(([batchA, batchB]) =>
      transposes.map(([ta, tb]): Case => {
        const [a, b] = shapes(3, 4, 5, ta, tb);
        const isSame = String(batchA) === String(batchB);
        return {
          name: `matMul [${[...batchA, ...a]}] x [${[...batchB, ...b]}] ${ta} ${tb}`,
          inputs: [input([...batchA, ...a]), input([...batchB, ...b])],
          run: (x: AnyTensor, y: AnyTensor) => tf.matMul(x, y, ta, tb),
          // Of broadcast batches stock has no gradient.
          gradients: isSame ? [0, 1] : [],
        };
      }),
    ),
    {
      name: 'matMul of depth 0',
      inputs: [input([3, 0]), input([0, 2])],
      run: (x: AnyTensor, y: AnyTensor) => tf.matMul(x, y),
      gradients: [],
    },
    {
      name: 'matMul of no rows',
      inputs: [input([0, 4]), input([4, 2])],
      run: (x: AnyTensor, y: AnyTensor) => tf.matMul(x, y),
      gradients: [],
    },
    ...ACTIVATIONS.flatMap((activation) =>
      transposes.map(([ta, tb]): Case => {
        const [a, b] = shapes(5, 60, 11, ta, tb);
        return {
          name: `fused.matMul with bias and ${activation} ${ta} ${tb}`,
          inputs: [input(a), input(b), input([11]), ...(activation === 'prelu' ? [input([11])] : [])],
          run: (x: AnyTensor, y: AnyTensor, bias: AnyTensor, weights?: AnyTensor) =>
            tf.fused.matMul({
              a: x,
              b: y,
              bias,
              transposeA: ta,
              transposeB: tb,
              activation,
              leakyreluAlpha: 0.3,
              ...(weights && { preluActivationWeights: weights }),
            }),
          gradients: activation === 'linear' || activation === 'relu' ? [0, 1, 2] : [],
        };
      }),
    ),
    {
      name: 'fused.matMul of a batch with bias',
      inputs: [input([2, 3, 50]), input([2, 50, 4]), input([4])],
      run: (x: AnyTensor, y: AnyTensor, bias: AnyTensor) =>
        tf.fused.matMul({ a: x, b: y, bias, activation: 'relu' }),
      gradients: [],
    },
    {
      // Panels of both widths, whole tiles and edges, and more depth than is packed at a time.
      name: 'fused.matMul of many columns with bias',
      inputs: [input([14, 300]), input([300, 40]), input([40])],
      run: (x: AnyTensor, y: AnyTensor, bias: AnyTensor) =>
        tf.fused.matMul({ a: x, b: y, bias, activation: 'relu' }),
    },
    {
      name: 'fused.matMul with one number as bias',
      inputs: [input([3, 5]), input([5, 4]), input([1])],
      run: (x: AnyTensor, y: AnyTensor, bias: AnyTensor) =>
        tf.fused.matMul({ a: x, b: y, bias, activation: 'relu' }),
      gradients: [],
    },
    {
      name: 'dot of vectors',
      inputs: [input([7]), input([7])],
      run: (x: AnyTensor, y: AnyTensor) => tf.dot(x, y),
    },
    {
      name: 'outer product',
      inputs: [input([3]), input([4])],
      run: (x: AnyTensor, y: AnyTensor) => tf.outerProduct(x, y),
    },
  ];
}

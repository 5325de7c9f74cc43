import * as tf from '@tensorflow/tfjs-core';
import { type AnyTensor, type Case, type Input, input } from './case.js';

const UNARY: readonly [keyof typeof tf, (readonly [number, number])?][] = [
  ['abs'],
  ['neg'],
  ['square'],
  ['exp', [-20, 20]],
  ['tanh', [-12, 12]],
  ['sigmoid', [-8, 8]],
  ['softplus', [-40, 40]],
  ['elu', [-8, 8]],
  ['selu', [-8, 8]],
  ['relu'],
  ['relu6', [-4, 10]],
  ['sign'],
  ['sqrt', [0.01, 9]],
  ['rsqrt', [0.01, 9]],
  ['reciprocal', [0.2, 9]],
  ['log', [1e-6, 50]],
  ['leakyRelu'],
  ['step'],
  ['log1p', [-0.5, 5]],
  ['expm1', [-2, 2]],
  ['erf'],
  ['sin'],
  ['cos'],
  ['tan'],
  ['asin', [-0.9, 0.9]],
  ['acos', [-0.9, 0.9]],
  ['atan'],
  ['sinh'],
  ['cosh'],
  ['asinh'],
  ['acosh', [1.1, 4]],
  ['atanh', [-0.9, 0.9]],
  ['floor', [-5, 5]],
  ['ceil', [-5, 5]],
  ['round', [-5, 5]],
  ['isNaN'],
  ['isFinite'],
  ['isInf'],
  ['logSigmoid', [-20, 20]],
];

const SHAPES: readonly [number[], number[]][] = [
  [[5], [5]],
  [[], [4]],
  [[7], []],
  [[3, 5], [5]],
  [
    [3, 5],
    [3, 1],
  ],
  [
    [3, 1],
    [1, 6],
  ],
  [
    [2, 3, 4],
    [3, 1],
  ],
  [
    [2, 1, 4, 1],
    [1, 3, 1, 5],
  ],
  [
    [2, 3, 1, 5],
    [4, 1],
  ],
  [
    [2, 1, 3, 1, 2],
    [2, 1, 2, 1],
  ],
  [[1], [1]],
  [[0, 3], [3]],
  [[33], [1]],
];

const BINARY = ['add', 'sub', 'mul', 'div', 'maximum', 'minimum', 'squaredDifference'] as const;
const COMPARISONS = ['greater', 'greaterEqual', 'less', 'lessEqual', 'equal', 'notEqual'] as const;

// biome-ignore lint/suspicious/noExplicitAny: operations by name.
const ops: any = tf;

export function elementwiseCases(): Case[] {
  // Stock has gradients that fail for these when they broadcast.
  const needSame: readonly string[] = ['maximum', 'minimum', 'squaredDifference'];
  const int32 = (shape: number[]): Input => ({ shape, dtype: 'int32', range: [-5, 6] });
  return [
    ...UNARY.flatMap(([name, range]) =>
      [[17], [3, 4], [0], []].map(
        (shape): Case => ({
          name: `${String(name)} of [${shape}]`,
          inputs: [input(shape, range)],
          run: (x: AnyTensor) => ops[name](x),
          ...(/^(floor|ceil|round|is)/.test(String(name)) && { gradients: [] }),
        }),
      ),
    ),
    ...SHAPES.flatMap(([a, b]) => [
      ...BINARY.map(
        (name): Case => ({
          name: `${name} of [${a}] and [${b}]`,
          inputs: [input(a, [0.5, 2]), input(b, [0.6, 2.1])],
          run: (x: AnyTensor, y: AnyTensor) => ops[name](x, y),
          gradients: needSame.includes(name) && String(a) !== String(b) ? [] : [0, 1],
        }),
      ),
      ...COMPARISONS.map(
        (name): Case => ({
          name: `${name} of [${a}] and [${b}]`,
          inputs: [input(a), input(b)],
          run: (x: AnyTensor, y: AnyTensor) => ops[name](x, y),
          gradients: [],
        }),
      ),
      {
        name: `prelu of [${a}] and [${b}]`,
        inputs: [input(a), input(b)],
        run: (x: AnyTensor, y: AnyTensor) => tf.prelu(x, y),
        gradients: String(a) === String(b) ? [0, 1] : [],
      },
    ]),
    ...[...BINARY.filter((name) => name !== 'div'), ...COMPARISONS].map(
      (name): Case => ({
        name: `${name} of int32`,
        inputs: [int32([3, 4]), int32([4])],
        run: (x: AnyTensor, y: AnyTensor) => ops[name](x, y),
      }),
    ),
    ...[2, 0.5, 1, -1, 3, 1.7].map(
      (exponent): Case => ({
        name: `pow ${exponent}`,
        inputs: [input([3, 5], [0.2, 3])],
        run: (x: AnyTensor) => tf.pow(x, exponent),
      }),
    ),
    { name: 'clipByValue', inputs: [input([19])], run: (x: AnyTensor) => tf.clipByValue(x, -0.3, 0.5) },
    {
      name: 'where',
      inputs: [input([5, 7]), input([5, 7])],
      run: (x: AnyTensor, y: AnyTensor) =>
        tf.where(
          tf.tensor(
            Array.from({ length: 35 }, (_, i) => i % 3 === 0),
            [5, 7],
            'bool',
          ),
          x,
          y,
        ),
    },
    ...(['float32', 'int32', 'bool'] as const).flatMap((from) =>
      (['float32', 'int32', 'bool'] as const).map(
        (to): Case => ({
          name: `cast ${from} to ${to}`,
          inputs: [{ shape: [3, 7], dtype: from, range: from === 'int32' ? [-300, 300] : [-2, 2] }],
          run: (x: AnyTensor) => tf.cast(x, to),
          ...(to !== 'float32' && { gradients: [] }),
        }),
      ),
    ),
    {
      name: 'cast of 256 and 0.5 to bool',
      inputs: [],
      run: () => tf.cast(tf.tensor1d([0, 0.5, 256, -0, Number.NaN]), 'bool'),
    },
    {
      name: 'addN',
      inputs: [input([3, 4]), input([3, 4]), input([3, 4])],
      run: (...tensors: AnyTensor[]) => tf.addN(tensors),
    },
    {
      name: 'logicalAnd and friends',
      inputs: [
        { shape: [9], dtype: 'bool' },
        { shape: [9], dtype: 'bool' },
      ],
      run: (a: AnyTensor, b: AnyTensor) => [tf.logicalAnd(a, b), tf.logicalOr(a, b), tf.logicalNot(a)],
    },
    {
      name: 'atan2, floorDiv, mod',
      inputs: [input([3, 4], [0.3, 4]), input([4], [0.3, 4])],
      run: (a: AnyTensor, b: AnyTensor) => tf.add(tf.atan2(a, b), tf.mod(a, b)),
    },
    ...[[3, 10], [2, 3, 33], [4], [1, 1]].map(
      (shape): Case => ({
        name: `softmax of [${shape}]`,
        inputs: [input(shape, [-5, 5])],
        run: (x: AnyTensor) => tf.softmax(x),
      }),
    ),
    {
      name: 'softmax of large numbers',
      inputs: [input([3, 9], [-300, 300])],
      run: (x: AnyTensor) => tf.softmax(x),
    },
    { name: 'logSoftmax', inputs: [input([4, 11], [-9, 9])], run: (x: AnyTensor) => tf.logSoftmax(x) },
    {
      name: 'extreme arguments',
      inputs: [],
      run: () => {
        const x = tf.tensor1d([
          0,
          -0,
          1e-40,
          -1e-40,
          3e38,
          -3e38,
          Number.POSITIVE_INFINITY,
          Number.NEGATIVE_INFINITY,
          Number.NaN,
          88.5,
          -87.5,
          -95,
          -103,
        ]);
        return [
          tf.exp(x),
          tf.tanh(x),
          tf.sigmoid(x),
          tf.relu(x),
          tf.relu6(x),
          tf.softplus(x),
          tf.elu(x),
          tf.log(tf.abs(x)),
          tf.log(x),
          tf.sign(x),
          tf.step(x),
          tf.maximum(x, 0),
          tf.minimum(x, 0),
          tf.greater(x, 0),
          tf.max(x),
          tf.min(x),
          tf.sqrt(x),
        ];
      },
    },
  ];
}

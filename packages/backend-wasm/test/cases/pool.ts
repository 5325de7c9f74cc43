import * as tf from '@tensorflow/tfjs-core';
import { type AnyTensor, type Case, input } from './case.js';

// biome-ignore lint/suspicious/noExplicitAny: operations by name.
const ops: any = tf;

const POOLS: readonly [
  number[],
  number | [number, number],
  number | [number, number],
  'same' | 'valid' | number,
][] = [
  [[1, 2, 2, 1], 2, 2, 'valid'],
  [[2, 4, 6, 8], 2, 2, 'valid'],
  [[2, 5, 7, 3], 2, 2, 'same'],
  [[1, 7, 7, 5], 3, 1, 'same'],
  [[1, 7, 8, 4], [3, 2], [2, 3], 'valid'],
  [[1, 6, 6, 2], 3, 2, 1],
  [[2, 1, 1, 3], 1, 1, 'valid'],
];

export function poolCases(): Case[] {
  return [
    ...POOLS.flatMap(([shape, size, strides, pad]) =>
      (['maxPool', 'avgPool'] as const).flatMap((kind) =>
        // Windows in which nothing is positive are where stock goes wrong.
        (
          [
            [-1, 1],
            [-2, -1],
          ] as const
        ).map(
          (range): Case => ({
            name: `${kind} [${shape}] size ${size} strides ${strides} pad ${pad} from ${range[0]} to ${range[1]}`,
            inputs: [input(shape, range)],
            run: (x: AnyTensor) => ops[kind](x, size, strides, pad as 'same'),
          }),
        ),
      ),
    ),
    ...(
      [
        [-1, 1],
        [-2, -1],
      ] as const
    ).flatMap((range): Case[] => [
      {
        name: `maxPool3d from ${range[0]} to ${range[1]}`,
        inputs: [input([2, 4, 5, 6, 3], range)],
        run: (x: AnyTensor) => tf.maxPool3d(x, 2, 2, 'same'),
      },
      {
        name: `maxPool3d with overlap from ${range[0]} to ${range[1]}`,
        inputs: [input([1, 5, 5, 5, 2], range)],
        run: (x: AnyTensor) => tf.maxPool3d(x, 3, 1, 'valid'),
      },
      {
        name: `maxPoolWithArgmax from ${range[0]} to ${range[1]}`,
        inputs: [input([2, 5, 5, 3], range)],
        run: (x: AnyTensor) => {
          const { result, indexes } = tf.maxPoolWithArgmax(x, 2, 2, 'same', true);
          return [result!, indexes!];
        },
        gradients: [],
      },
      {
        name: `maxPoolWithArgmax in its image from ${range[0]} to ${range[1]}`,
        inputs: [input([2, 4, 5, 3], range)],
        run: (x: AnyTensor) => Object.values(tf.maxPoolWithArgmax(x, 2, 1, 'valid', false)) as tf.Tensor[],
        gradients: [],
      },
      {
        name: `dilation2d from ${range[0]} to ${range[1]}`,
        inputs: [input([2, 6, 5, 3], range), input([2, 3, 3], range)],
        run: (x: AnyTensor, w: AnyTensor) => tf.dilation2d(x, w, 1, 'same', 1),
      },
      {
        name: `dilation2d with strides from ${range[0]} to ${range[1]}`,
        inputs: [input([1, 7, 7, 2], range), input([3, 2, 2], range)],
        run: (x: AnyTensor, w: AnyTensor) => tf.dilation2d(x, w, 2, 'valid', 2),
      },
    ]),
    {
      name: 'avgPool3d',
      inputs: [input([1, 4, 5, 6, 2])],
      run: (x: AnyTensor) => tf.avgPool3d(x, 2, 2, 'same'),
    },
  ];
}

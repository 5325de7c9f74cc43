import * as tf from '@tensorflow/tfjs-core';
import { type AnyTensor, type Case, type Input, indices, input } from './case.js';

// biome-ignore lint/suspicious/noExplicitAny: operations by name.
const ops: any = tf;

const SHAPES = [[0], [0, 3], [3, 0], [2, 0, 4]];
const DTYPES = ['float32', 'int32', 'bool'] as const;

const UNARY = ['abs', 'neg', 'square', 'relu', 'sign', 'onesLike', 'zerosLike', 'clone'];
const BINARY = ['add', 'sub', 'mul', 'maximum', 'minimum', 'greater', 'equal', 'squaredDifference'];

/** Operations on tensors without numbers, and of shapes that leave nothing to add up. */
export function emptyCases(): Case[] {
  return [
    ...SHAPES.flatMap((shape) => DTYPES.flatMap((dtype) => ofShape(shape, dtype))),
    ...PRODUCTS.map(
      ([a, b]): Case => ({
        name: `matMul of [${a}] and [${b}]`,
        inputs: [input(a), input(b)],
        run: (x: AnyTensor, y: AnyTensor) => dirtied(() => tf.matMul(x, y)),
      }),
    ),
    ...IMAGES.flatMap(([x, filter]) => ofImages(x, filter)),
    ...indexCases(),
  ];
}

/** Runs it where memory is full of other numbers, so that what it does not write shows. */
export function dirtied<Result>(run: () => Result): Result {
  const sizes = tf.getBackend() === 'wasm' ? [1, 4, 16, 64, 256, 1024] : [];
  tf.dispose(sizes.map((size) => tf.fill([size], 12345)));
  return run();
}

function ofShape(shape: number[], dtype: (typeof DTYPES)[number]): Case[] {
  const one = (name: string, run: (x: AnyTensor) => tf.Tensor | tf.Tensor[], gradients?: number[]): Case => ({
    name: `${name} of ${dtype} [${shape}]`,
    inputs: [{ shape, dtype }],
    run: (x: AnyTensor) => dirtied(() => run(x)),
    ...(gradients && { gradients }),
  });
  const rank = shape.length;
  const whole = shape.map((size) => size || 1);
  return [
    ...UNARY.map((name) => one(name, (x) => ops[name](x))),
    ...BINARY.flatMap((name) => [
      one(`${name} to itself`, (x) => ops[name](x, x)),
      one(`${name} to a number`, (x) => ops[name](x, tf.cast(tf.scalar(1), dtype))),
      one(`${name} to ones`, (x) => ops[name](x, tf.ones(whole, dtype))),
    ]),
    one('concat', (x) => tf.concat([x, x], 0)),
    one('concat with numbers', (x) => tf.concat([x, tf.ones(whole, dtype)], shape.indexOf(0))),
    one('stack', (x) => tf.stack([x, x])),
    one('tile', (x) => tf.tile(x, Array(rank).fill(2))),
    one('pad', (x) => tf.pad(x, Array(rank).fill([1, 1]) as [number, number][], 5), []),
    one('transpose', (x) => tf.transpose(x)),
    one('reshape', (x) => tf.reshape(x, [0, 5])),
    one('reverse', (x) => tf.reverse(x)),
    one('slice', (x) => tf.slice(x, Array(rank).fill(0), shape)),
    one('expandDims', (x) => tf.expandDims(x, 0)),
    one('where', (x) => tf.where(tf.zeros(shape, 'bool'), x, x), []),
    one('gather', (x) => tf.gather(x, tf.tensor1d([], 'int32'), rank - 1), []),
    one('oneHot', (x) => tf.oneHot(tf.cast(x, 'int32'), 3), []),
    one('cast', (x) => tf.cast(x, 'float32')),
    ...shape.flatMap((_, axis) => [
      one(`sum over ${axis}`, (x) => tf.sum(x, axis)),
      one(`prod over ${axis}`, (x) => tf.prod(x, axis), []),
      one(`argMax over ${axis}`, (x) => tf.argMax(x, axis)),
      one(`argMin over ${axis}`, (x) => tf.argMin(x, axis)),
      ...(dtype === 'bool' ? [one(`any over ${axis}`, (x) => tf.any(x, axis))] : []),
      ...(dtype === 'float32' ? [one(`softmax over ${axis}`, (x) => tf.softmax(x, rank - 1))] : []),
      // wasm has none for booleans, and says so.
      ...(dtype === 'bool' ? [] : [one(`cumsum over ${axis}`, (x) => tf.cumsum(x, axis), [])]),
    ]),
    ...(dtype === 'bool' ? [] : [one('topk', (x) => Object.values(tf.topk(x, 0)) as tf.Tensor[], [])]),
  ];
}

const PRODUCTS: readonly [number[], number[]][] = [
  [
    [0, 3],
    [3, 2],
  ],
  [
    [2, 3],
    [3, 0],
  ],
  [
    [2, 0],
    [0, 3],
  ],
  [
    [0, 2, 3],
    [0, 3, 4],
  ],
  [
    [2, 2, 0],
    [2, 0, 4],
  ],
];

/** No images, no channels, no filters. */
const IMAGES: readonly [number[], number[]][] = [
  [
    [0, 5, 5, 2],
    [3, 3, 2, 4],
  ],
  [
    [0, 5, 5, 2],
    [1, 1, 2, 4],
  ],
  [
    [2, 5, 5, 0],
    [3, 3, 0, 4],
  ],
  [
    [2, 5, 5, 0],
    [1, 1, 0, 4],
  ],
  [
    [2, 5, 5, 2],
    [3, 3, 2, 0],
  ],
];

function ofImages(shape: number[], filter: number[]): Case[] {
  const [n, height, width, channels] = shape as [number, number, number, number];
  const volume = [n, 3, height, width, channels];
  const of = (
    name: string,
    inputs: Input[],
    run: (...tensors: AnyTensor[]) => tf.Tensor,
    gradients?: number[],
  ): Case => ({
    name: `${name} of [${shape}] and [${filter}]`,
    inputs,
    run: (...tensors: AnyTensor[]) => dirtied(() => run(...tensors)),
    ...(gradients && { gradients }),
  });
  return (['same', 'valid'] as const).flatMap((pad) => [
    of(`conv2d ${pad}`, [input(shape), input(filter)], (x, w) => tf.conv2d(x, w, 1, pad)),
    of(
      `fused conv2d ${pad}`,
      [input(shape), input(filter), input([filter[3]!])],
      (x, w, bias) => tf.fused.conv2d({ x, filter: w, strides: 1, pad, bias, activation: 'relu' }),
      [],
    ),
    of(`conv3d ${pad}`, [input(volume), input([2, ...filter])], (x, w) => tf.conv3d(x, w, 1, pad)),
    of(`depthwiseConv2d ${pad}`, [input(shape), input([3, 3, channels, 1])], (x, w) =>
      tf.depthwiseConv2d(x, w, 1, pad),
    ),
    of(`maxPool ${pad}`, [input(shape)], (x) => tf.maxPool(x, 2, 2, pad)),
    of(`avgPool ${pad}`, [input(shape)], (x) => tf.avgPool(x, 2, 2, pad)),
    of(`avgPool3d ${pad}`, [input(volume)], (x) => tf.avgPool3d(x, 2, 2, pad)),
    of(`maxPool3d ${pad}`, [input(volume)], (x) => tf.maxPool3d(x, 2, 2, pad), []),
    of('resizeBilinear', [input(shape)], (x) => tf.image.resizeBilinear(x, [3, 3])),
    of('resizeNearestNeighbor', [input(shape)], (x) => tf.image.resizeNearestNeighbor(x, [3, 3]), []),
  ]);
}

function indexCases(): Case[] {
  return [
    {
      name: 'gather with no indices',
      inputs: [input([4, 3]), indices([0], 4)],
      run: (x: AnyTensor, at: AnyTensor) => tf.gather(x, at),
    },
    {
      name: 'gatherND with no indices',
      inputs: [input([4, 3])],
      run: (x: AnyTensor) => tf.gatherND(x, tf.zeros([0, 2], 'int32')),
      gradients: [],
    },
    {
      name: 'scatterND of nothing',
      inputs: [input([0, 3])],
      run: (x: AnyTensor) => dirtied(() => tf.scatterND(tf.zeros([0, 1], 'int32'), x, [2, 3])),
      gradients: [],
    },
    {
      name: 'unsortedSegmentSum of no rows',
      inputs: [input([0, 3]), indices([0], 2)],
      run: (x: AnyTensor, at: AnyTensor) => dirtied(() => tf.unsortedSegmentSum(x, at, 2)),
      gradients: [],
    },
    {
      name: 'einsum over a depth of none',
      inputs: [input([2, 0]), input([0, 3])],
      run: (x: AnyTensor, y: AnyTensor) => dirtied(() => tf.einsum('ij,jk->ik', x, y)),
      gradients: [],
    },
  ];
}

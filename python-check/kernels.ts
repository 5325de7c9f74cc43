// Operations whose kernels or gradients stock tfjs gets wrong or lacks: operands, results and gradients on cpu and wasm.
import * as tf from '@tensorflow/tfjs-core';
import { correctTfjs } from '../packages/tfjs-corrections/src/index.js';
import { numbers } from '../testing/support/src/models.js';
import { useBackend } from '../testing/support/src/use-backend.js';

interface Check {
  op: string;
  args?: Record<string, unknown>;
  operands: number[][] | { shape: number[]; values: number[] }[];
  // biome-ignore lint/suspicious/noExplicitAny: operations take tensors of the rank that they need.
  run: (...operands: any[]) => tf.Tensor;
}

const BATCHES: [number[], number[]][] = [
  [
    [2, 1],
    [2, 2],
  ],
  [
    [2, 1],
    [1, 3],
  ],
  [[3], [2, 1]],
  [
    [2, 1, 2],
    [3, 1],
  ],
  [[0], [1]],
  [[], [4]],
];

const POOLS: [number[], number[], number][] = [
  [[2, 3], [1, 2], 0],
  [[3, 2], [2, 1], 0],
  [[3, 3], [2, 2], 1],
  [[2, 2], [3, 3], 1],
];

const SIZES: [number, number][] = [
  [1, 1],
  [1, 5],
  [4, 7],
  [5, 2],
  [8, 10],
];

/** The gradient of the sum of squares, which has a gradient again. */
const slope = (compute: (x: tf.Tensor) => tf.Tensor) => (x: tf.Tensor) =>
  tf.grad((v) => tf.sum(tf.square(compute(v))))(x);
const boxes = { shape: [2, 4], values: [0.11, 0.07, 0.83, 0.91, 0.93, 0.81, 0.17, 0.13] };
const matrix = { shape: [2, 8], values: [0.9, 0.2, -0.6, -0.2, 1.1, 0.4, 0, 0, 1, 0, 1.3, 0, 1, -0.7, 0, 0] };
const segments = { rows: [3, 1, 1, 0, 3], ids: [0, 0, 2, 2, 2] };
const integers = (values: number[]) => tf.tensor1d(values, 'int32');

const CHECKS: Check[] = [
  ...BATCHES.map(
    ([a, b]): Check => ({
      op: 'matmul',
      operands: [
        [...a, 2, 3],
        [...b, 3, 4],
      ],
      run: (x, y) => tf.matMul(x, y),
    }),
  ),
  ...POOLS.flatMap(([window, stride, pad]): Check[] => {
    const volume = { window: [2, ...window], stride: [1, ...stride], pad };
    // With padding in numbers tfjs takes windows for square.
    const cube = { window: [3, 3, 3], stride: [2, 2, 2], pad };
    return [
      {
        op: 'max_pool',
        args: { window, stride, pad },
        operands: [[2, 7, 6, 2]],
        run: (x) => tf.maxPool(x, window as [number, number], stride as [number, number], pad || 'valid'),
      },
      {
        op: 'avg_pool',
        args: { window, stride, pad },
        operands: [[2, 7, 6, 2]],
        run: (x) => tf.avgPool(x, window as [number, number], stride as [number, number], pad || 'valid'),
      },
      ...(['max_pool', 'avg_pool'] as const).map((op): Check => {
        const args = pad ? cube : volume;
        const pool = op === 'max_pool' ? tf.maxPool3d : tf.avgPool3d;
        return {
          op,
          args,
          operands: [[2, 5, 7, 6, 2]],
          run: (x) =>
            pool(
              x,
              args.window as [number, number, number],
              args.stride as [number, number, number],
              pad || 'valid',
            ),
        };
      }),
    ];
  }),
  ...SIZES.flatMap(([height, newHeight]) =>
    (
      [
        ['bilinear', true, false],
        ['bilinear', false, true],
        ['nearest', false, false],
        ['nearest', false, true],
      ] as const
    ).map(([kind, alignCorners, halfPixelCenters]): Check => {
      const resize = kind === 'bilinear' ? tf.image.resizeBilinear : tf.image.resizeNearestNeighbor;
      const size: [number, number] = [newHeight, 6];
      return {
        op: 'resize',
        args: { kind, alignCorners, halfPixelCenters, size },
        operands: [[2, height, 3, 2]],
        run: (x) => resize(x, size, alignCorners, halfPixelCenters),
      };
    }),
  ),
  {
    op: 'conv3d',
    args: { stride: [2, 3, 2] },
    operands: [
      [2, 5, 4, 6, 3],
      [1, 1, 1, 3, 2],
    ],
    run: (x, w) => tf.conv3d(x, w, [2, 3, 2], 'same'),
  },
  ...(['sum', 'mean', 'prod'] as const).map((op): Check => {
    const reduce = { sum: tf.sum, mean: tf.mean, prod: tf.prod }[op];
    return { op, operands: [[2, 0, 3]], run: (x) => reduce(x, 1) };
  }),
  {
    op: 'crop',
    args: { size: [3, 4] },
    operands: [{ shape: [2, 5, 4, 2], values: numbers(80, 7) }, boxes],
    run: (x, where) => tf.image.cropAndResize(x, where, integers([1, 0]), [3, 4]),
  },
  {
    op: 'transform',
    args: { matrix: matrix.values, size: [4, 5] },
    operands: [[2, 5, 4, 2]],
    run: (x) => tf.image.transform(x, tf.tensor2d(matrix.values, [2, 8]), 'bilinear', 'constant', 0, [4, 5]),
  },
  {
    op: 'segment_sum',
    args: segments,
    operands: [[4, 3]],
    run: (x) => tf.sparse.sparseSegmentSum(x, integers(segments.rows), integers(segments.ids)),
  },
  {
    op: 'segment_mean',
    args: segments,
    operands: [[4, 3]],
    run: (x) => tf.sparse.sparseSegmentMean(x, integers(segments.rows), integers(segments.ids)),
  },
  ...Object.entries({
    exp: tf.exp,
    tanh: tf.tanh,
    sigmoid: tf.sigmoid,
    elu: tf.elu,
    softmax: tf.softmax,
  }).map(
    ([of, compute]): Check => ({
      op: 'slope',
      args: { of },
      operands: [[3, 4]],
      run: slope((x) => (compute as (x: tf.Tensor) => tf.Tensor)(x)),
    }),
  ),
  {
    op: 'slope_max_pool',
    operands: [[1, 6, 6, 2]],
    run: slope((x) => tf.maxPool(x as tf.Tensor4D, 3, 2, 'valid')),
  },
  {
    op: 'slope_conv',
    operands: [
      [1, 5, 6, 2],
      [2, 3, 2, 3],
    ],
    run: (x, w) => slope((v) => tf.conv2d(x, v as tf.Tensor4D, 1, 'valid'))(w),
  },
];

const found = [];
for (const backend of ['cpu', 'wasm'] as const) {
  await useBackend(backend);
  correctTfjs();
  for (const { op, args = {}, operands: given, run } of CHECKS) {
    const operands = given.map((each, i) => {
      if (!Array.isArray(each)) return each;
      return { shape: each, values: numbers(tf.util.sizeFromShape(each), i + 1).map(Math.fround) };
    });
    const tensors = operands.map(({ shape, values }) => tf.tensor(values, shape));
    const result = run(...tensors);
    const dy = tf.tensor(
      Array.from({ length: result.size }, (_, i) => Math.cos(i * 0.7)),
      result.shape,
    );
    const gradients = tf.grads(run)(tensors, dy);
    // As text: JSON has neither NaN nor infinity.
    const read = (tensor: tf.Tensor) => ({ shape: tensor.shape, values: [...tensor.dataSync()].map(String) });
    found.push({ op, args, backend, operands, result: read(result), gradients: gradients.map(read) });
  }
}
console.log(JSON.stringify(found));

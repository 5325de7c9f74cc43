import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import { on } from './backends.js';

const range = (shape: number[], dtype: 'float32' | 'int32' = 'float32') =>
  tf.tensor(
    Array.from({ length: tf.util.sizeFromShape(shape) }, (_, i) => i),
    shape,
    dtype,
  );
const onWasm = <Result>(run: () => Result) => on('wasm', run);

beforeAll(async () => {
  await enableTraining();
});

// Where cpu is wrong itself, or fails, what is right is written out.
describe('operations that tfjs gets wrong on several backends', () => {
  it('multiplies batches that broadcast in both directions', async () => {
    const product = await onWasm(() => tf.matMul(range([2, 1, 1, 2]), range([1, 3, 2, 1])).arraySync());
    // Row i is [2i, 2i + 1], column j is [2j, 2j + 1].
    const dot = (i: number, j: number) => 2 * i * 2 * j + (2 * i + 1) * (2 * j + 1);
    expect(product).toEqual([0, 1].map((i) => [0, 1, 2].map((j) => [[dot(i, j)]])));
  });

  it('gathers with batches', async () => {
    const values = await onWasm(() =>
      tf
        .gather(
          range([2, 3, 2]),
          tf.tensor2d(
            [
              [2, 0],
              [1, 1],
            ],
            [2, 2],
            'int32',
          ),
          1,
          1,
        )
        .arraySync(),
    );
    expect(values).toEqual([
      [
        [4, 5],
        [0, 1],
      ],
      [
        [8, 9],
        [8, 9],
      ],
    ]);
  });

  it('names the index that gather cannot find, and what there is', async () => {
    await expect(onWasm(() => tf.gather(range([3, 2]), tf.tensor1d([1, 3], 'int32')))).rejects.toMatchObject({
      code: 'BAD_INDEX',
      message: expect.stringContaining('3 is not in [0, 2]'),
    });
  });

  it('takes strided slices that drop an axis, of integers too', async () => {
    const take = (x: tf.Tensor) => tf.stridedSlice(x, [0, 2, 0], [6, 3, 4], [2, 1, 3], 0, 0, 0, 0, 2);
    const slices = await onWasm(() =>
      (['float32', 'int32'] as const).map((dtype) => {
        const slice = take(range([6, 5, 4], dtype));
        return [slice.dtype, slice.arraySync()];
      }),
    );
    const expected = [0, 2, 4].map((i) => [0, 3].map((k) => i * 20 + 2 * 4 + k));
    expect(slices).toEqual([
      ['float32', expected],
      ['int32', expected],
    ]);
  });

  it('updates a copy in tensorScatterUpdate and keeps the rest', async () => {
    const [updated, before] = await onWasm(() => {
      const x = range([3, 2]);
      const result = tf.tensorScatterUpdate(x, tf.tensor2d([[1]], [1, 1], 'int32'), tf.tensor2d([[7, 8]]));
      return [result.arraySync(), x.arraySync()];
    });
    expect(updated).toEqual([
      [0, 1],
      [7, 8],
      [4, 5],
    ]);
    expect(before).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
  });

  it('writes one-hot rows of every type, with nothing where an index is out of range', async () => {
    const rows = await onWasm(() =>
      (['float32', 'int32', 'bool'] as const).map((dtype) => {
        const hot = tf.oneHot(tf.tensor1d([1, -1, 2, 3], 'int32'), 3, 5, 2, dtype);
        return [hot.dtype, hot.arraySync()];
      }),
    );
    const expected = [
      [2, 5, 2],
      [2, 2, 2],
      [2, 2, 5],
      [2, 2, 2],
    ];
    expect(rows).toEqual(['float32', 'int32', 'bool'].map((dtype) => [dtype, expected]));
    const halves = await onWasm(() => tf.oneHot(range([2], 'int32'), 2, 0.75, -0.5, 'float32').arraySync());
    expect(halves).toEqual([
      [0.75, -0.5],
      [-0.5, 0.75],
    ]);
  });

  it('goes along axes that are counted from the end', async () => {
    const sums = await onWasm(() => [
      tf.cumsum(range([2, 3]), -1).arraySync(),
      tf.cumsum(range([2, 3]), -2).arraySync(),
      tf.cumprod(tf.add(range([2, 2]), 1), -2).arraySync(),
    ]);
    expect(sums).toEqual([
      [
        [0, 1, 3],
        [3, 7, 12],
      ],
      [
        [0, 1, 2],
        [3, 5, 7],
      ],
      [
        [1, 2],
        [3, 8],
      ],
    ]);
  });

  it('computes einsum over axes that only one operand has', async () => {
    const [product, sum] = await onWasm(() => [
      tf.einsum('abc,cd->d', range([2, 2, 3]), range([3, 2])).arraySync(),
      tf.einsum('ab,cd->', range([2, 2]), range([2, 3])).arraySync(),
    ]);
    // Sums over a and b of range: [18, 22, 26].
    expect(product).toEqual([22 * 2 + 26 * 4, 18 + 22 * 3 + 26 * 5]);
    expect(sum).toBe(6 * 15);
  });

  it('keeps NaN in relu, fused or not, so that a broken step is noticed', async () => {
    const results = await onWasm(() => {
      const nan = tf.tensor2d([[Number.NaN, 1]]);
      const image = tf.reshape(nan, [1, 1, 2, 1]) as tf.Tensor4D;
      const one = tf.ones([1, 1, 1, 1]) as tf.Tensor4D;
      return [
        tf.relu(nan),
        tf.relu6(nan),
        tf.fused.matMul({ a: nan, b: tf.eye(2), activation: 'relu' }),
        tf.fused.conv2d({ x: image, filter: one, strides: 1, pad: 'same', activation: 'relu' }),
        tf.fused.depthwiseConv2d({ x: image, filter: one, strides: 1, pad: 'same', activation: 'relu' }),
      ].map((tensor) => tensor.dataSync()[0]);
    });
    expect(results).toEqual(new Array(5).fill(Number.NaN));
  });

  it('keeps NaN in the gradients of activations, fused or not, wherever the values are NaN', async () => {
    const results = await onWasm(() => {
      const nan = tf.fill([3, 9], Number.NaN) as tf.Tensor2D;
      const dy = tf.ones<tf.Rank.R2>([3, 9]);
      const plain = [tf.relu, tf.relu6, tf.elu, tf.sigmoid, tf.tanh].map((f) => tf.grad(f)(nan, dy));
      const fused = (['relu', 'relu6', 'elu', 'sigmoid'] as const).map((activation) =>
        tf.grad((a) => tf.fused.matMul({ a: a as tf.Tensor2D, b: tf.eye(9), activation }))(nan, dy),
      );
      return [...plain, ...fused].map((tensor) => [...tensor.dataSync()]);
    });
    expect(results.flat().filter(Number.isNaN)).toHaveLength(9 * 27);
  });

  it('convolves images with the channels first', async () => {
    const attrs = { strides: 2, pad: 'same', dilations: 1, dimRoundingMode: undefined };
    const run = (name: string, inputs: tf.NamedTensorMap, more: object) =>
      tf.engine().runKernel(name, inputs, { ...attrs, ...more } as never) as tf.Tensor;
    const first = (x: tf.Tensor) => tf.transpose(x, [0, 3, 1, 2]);
    const [last, firsts] = await onWasm(() => {
      const x = tf.randomUniform([2, 7, 6, 3], -1, 1, 'float32', 1);
      const filter = tf.randomUniform([3, 3, 3, 5], -1, 1, 'float32', 2);
      const dy = tf.randomUniform([2, 4, 3, 5], -1, 1, 'float32', 3);
      const both = (format: 'NHWC' | 'NCHW', move: (t: tf.Tensor) => tf.Tensor) => {
        const dataFormat = { dataFormat: format };
        return [
          run(tf.Conv2D, { x: move(x), filter }, dataFormat),
          run(
            tf.FusedConv2D,
            { x: move(x), filter, bias: tf.range(0, 5) },
            { ...dataFormat, activation: 'relu' },
          ),
          run(tf.Conv2DBackpropInput, { dy: move(dy), filter }, { ...dataFormat, inputShape: move(x).shape }),
          run(
            tf.Conv2DBackpropFilter,
            { x: move(x), dy: move(dy) },
            { ...dataFormat, filterShape: filter.shape },
          ),
        ];
      };
      const expected = both('NHWC', (t) => t);
      return [
        expected.map((t, i) => (i === 3 ? t : first(t)).arraySync()),
        both('NCHW', first).map((t) => t.arraySync()),
      ];
    });
    expect(firsts).toEqual(last);
  });
});

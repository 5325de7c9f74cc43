import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import { on } from './backends.js';

const { NaN: nan, POSITIVE_INFINITY: infinity, NEGATIVE_INFINITY: minus } = Number;

/** Whatever floats can be besides ordinary numbers. */
const SPECIAL = [0, -0, 1, -1, 6, 7, 1e-42, -1e-42, 1e-30, 3.4e38, -3.4e38, infinity, minus, nan];

/** Each value at each place of a vector of four, and in what is left after it. */
const LENGTHS = [1, 3, 4, 5, 8, 11];

beforeAll(async () => {
  await enableTraining();
});

const both = async (run: () => tf.Tensor[]) => {
  const read = () => run().map((tensor) => [...tensor.dataSync()]);
  return { expected: await on('cpu', read), actual: await on('wasm', read) };
};

/** Signs of zeros may differ, and so may the last bits; what is not finite may not. */
function expectAlike(actual: readonly number[], expected: readonly number[], what: string, tolerance = 1e-6) {
  expect(actual.length, what).toBe(expected.length);
  for (const [i, value] of expected.entries()) {
    const other = actual[i]!;
    if (!Number.isFinite(value)) expect(other, `${what} at ${i}`).toBe(value);
    else {
      // Numbers too small for full precision may come out as 0.
      const far = Math.abs(other - value);
      expect(far, `${what} at ${i}: ${other}, ${value}`).toBeLessThanOrEqual(
        Math.max(1e-37, Math.abs(value) * tolerance),
      );
    }
  }
}

const UNARY: Readonly<Record<string, (x: tf.Tensor) => tf.Tensor>> = {
  abs: tf.abs,
  neg: tf.neg,
  square: tf.square,
  sqrt: tf.sqrt,
  rsqrt: tf.rsqrt,
  reciprocal: tf.reciprocal,
  exp: tf.exp,
  log: tf.log,
  tanh: tf.tanh,
  sigmoid: tf.sigmoid,
  softplus: tf.softplus,
  elu: tf.elu,
  selu: tf.selu,
  relu: tf.relu,
  relu6: tf.relu6,
  sign: tf.sign,
  leakyRelu: (x) => tf.leakyRelu(x, 0.3),
  step: (x) => tf.step(x, 0.25),
  clipByValue: (x) => tf.clipByValue(x, -2, 3),
  'pow 2': (x) => tf.pow(x, 2),
  'pow 0.5': (x) => tf.pow(x, 0.5),
  'pow -1': (x) => tf.pow(x, -1),
};

const BINARY = {
  add: tf.add,
  sub: tf.sub,
  mul: tf.mul,
  div: tf.div,
  maximum: tf.maximum,
  minimum: tf.minimum,
  squaredDifference: tf.squaredDifference,
};

const COMPARISONS = {
  greater: tf.greater,
  greaterEqual: tf.greaterEqual,
  less: tf.less,
  lessEqual: tf.lessEqual,
  equal: tf.equal,
  notEqual: tf.notEqual,
};

describe('values that are not ordinary numbers', () => {
  it.each(Object.entries(UNARY))('%s treats them as cpu does, wherever they are', async (name, run) => {
    for (const length of LENGTHS) {
      for (const place of [0, length - 1]) {
        const { expected, actual } = await both(() =>
          SPECIAL.map((value) => {
            const values = Array<number>(length).fill(0.5);
            values[place] = value;
            return run(tf.tensor1d(values));
          }),
        );
        for (const [i, values] of expected.entries())
          expectAlike(actual[i]!, values, `${name} of ${SPECIAL[i]} at ${place} of ${length}`);
      }
    }
  });

  const pairs = SPECIAL.flatMap((a) => SPECIAL.map((b) => [a, b] as const));
  const operands = () =>
    [0, 1].map((side) => tf.tensor1d(pairs.map((pair) => pair[side]!))) as [tf.Tensor1D, tf.Tensor1D];

  it.each(Object.entries(BINARY))('%s treats every pair of them as cpu does', async (name, run) => {
    const { expected, actual } = await both(() => [run(...operands())]);
    expectAlike(actual[0]!, expected[0]!, name);
  });

  it.each(Object.entries(COMPARISONS))('%s compares every pair of them as cpu does', async (_name, run) => {
    const { expected, actual } = await both(() => [run(...operands())]);
    expect(actual).toEqual(expected);
  });

  it.each([
    ['sum', tf.sum],
    ['mean', tf.mean],
    ['prod', tf.prod],
  ] as const)('%s shows a NaN, and an infinity, wherever it is', async (_name, reduce) => {
    for (const length of [1, 3, 4, 5, 13, 600]) {
      for (const bad of [nan, infinity, minus]) {
        const results = await on('wasm', () =>
          [0, length >> 1, length - 1].map((place) => {
            const values = Array<number>(length).fill(1);
            values[place] = bad;
            return reduce(tf.tensor1d(values)).dataSync()[0];
          }),
        );
        expect(results).toEqual([bad, bad, bad]);
      }
    }
  });

  it.each([
    ['max', tf.max, [infinity, 2, nan]],
    ['min', tf.min, [2, minus, nan]],
  ] as const)('%s of them', async (_name, reduce, expected) => {
    for (const length of [2, 4, 5, 9, 40]) {
      const results = await on('wasm', () =>
        [infinity, minus, nan].map((value) => {
          const values = Array<number>(length).fill(2);
          values[length - 1] = value;
          return reduce(tf.tensor1d(values)).dataSync()[0];
        }),
      );
      expect(results).toEqual(expected);
    }
  });

  it('infinities of both signs make a sum that is not a number', async () => {
    const sums = await on('wasm', () =>
      [2, 5, 1000].map((length) => {
        const values = Array<number>(length).fill(0);
        values[0] = infinity;
        values[length - 1] = minus;
        return tf.sum(tf.tensor1d(values)).dataSync()[0];
      }),
    );
    expect(sums).toEqual([nan, nan, nan]);
  });

  it('a NaN in one row of a product stays in that row, and one in a column in that column', async () => {
    for (const [m, k, n] of [
      [1, 1, 1],
      [3, 5, 12],
      [4, 7, 8],
      [7, 9, 29],
    ] as const) {
      const places = await on('wasm', () => {
        const [a, b] = [tf.buffer([m, k]), tf.buffer([k, n])];
        a.values.fill(1);
        b.values.fill(1);
        const spoil = (buffer: tf.TensorBuffer<tf.Rank>, ...at: number[]) => {
          const copy = tf.buffer(buffer.shape, 'float32', Float32Array.from(buffer.values as Float32Array));
          copy.set(nan, ...at);
          return copy.toTensor() as tf.Tensor2D;
        };
        const [left, right] = [a.toTensor() as tf.Tensor2D, b.toTensor() as tf.Tensor2D];
        const broken = (x: tf.Tensor) => [...tf.isNaN(x).dataSync()];
        return [
          broken(tf.matMul(spoil(a, m - 1, 0), right)),
          broken(tf.matMul(left, spoil(b, k - 1, n - 1))),
        ];
      });
      expect(places[0]).toEqual(Array.from({ length: m * n }, (_, i) => Number(i >= (m - 1) * n)));
      expect(places[1]).toEqual(Array.from({ length: m * n }, (_, i) => Number(i % n === n - 1)));
    }
  });

  it('a NaN in an image reaches the windows that see it, and no others', async () => {
    const expected = [1, 1, 0, 1, 1, 0, 0, 0, 0];
    const reached = await on('wasm', () => {
      const values = Array<number>(25).fill(1);
      values[6] = nan; // row 1, column 1 of 5 x 5
      const image = tf.tensor4d(values, [1, 5, 5, 1]);
      const filter = tf.ones([3, 3, 1, 1]) as tf.Tensor4D;
      return [
        tf.conv2d(image, filter, 1, 'valid'),
        tf.depthwiseConv2d(image, filter, 1, 'valid'),
        tf.maxPool(image, 3, 1, 'valid'),
        tf.avgPool(image, 3, 1, 'valid'),
      ].map((y) => [...tf.isNaN(y).dataSync()]);
    });
    for (const [i, places] of reached.slice(0, 2).entries()) expect(places, `${i}`).toEqual(expected);
    expect(reached[3]).toEqual(expected);
  });

  it('softmax: a row with NaN is NaN, its neighbours are not; minus infinity has probability 0', async () => {
    for (const width of [2, 4, 7, 12]) {
      const rows = await on('wasm', () => {
        const values = tf.buffer([3, width]);
        values.set(nan, 0, width - 1);
        values.set(minus, 1, 0);
        return tf.softmax(values.toTensor() as tf.Tensor2D).arraySync() as number[][];
      });
      expect(rows[0]).toEqual(Array(width).fill(nan));
      expect(rows[1]![0]).toBe(0);
      expect(rows[1]!.reduce((sum, value) => sum + value)).toBeCloseTo(1, 6);
      for (const value of rows[2]!) expect(value).toBeCloseTo(1 / width, 6);
    }
  });

  it.each(['relu', 'relu6', 'sigmoid', 'tanh', 'elu', 'softplus'])(
    'the gradient of %s shows a NaN of its argument',
    async (name) => {
      const gradient = await on('wasm', () => {
        const x = tf.tensor1d([1, nan, -1, 2, nan]);
        return [
          ...tf
            .grad((at) => tf.sum(UNARY[name]!(at)))(x)
            .dataSync(),
        ];
      });
      expect(gradient.map(Number.isNaN)).toEqual([false, true, false, false, true]);
    },
  );
});

import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { someOf } from '../../../testing/support/src/some-of.js';
import { enableTraining } from '../src/index.js';
import { numbers, on } from './backends.js';

// Independent of cpu: computed here in double precision, the obvious way.

type Values = readonly number[];

/** Floats, so that both sides start from the same numbers. */
function floats(size: number, seed: number): number[] {
  const next = numbers(seed);
  return Array.from({ length: size }, () => Math.fround(next() * 2 - 1));
}

/** The largest difference, in units of the last place of a sum of `terms` numbers below 1. */
function error(actual: Values, expected: Values, terms: number): number {
  expect(actual).toHaveLength(expected.length);
  const most = actual.reduce((far, value, i) => Math.max(far, Math.abs(value - expected[i]!)), 0);
  return most / (Math.sqrt(terms) * 2 ** -24);
}

/** Rounding adds up like a random walk: some units per square root of the terms, whatever the shape. */
const LIMIT = 16;

function product(a: Values, b: Values, m: number, k: number, n: number): number[] {
  return Array.from({ length: m * n }, (_, i) => {
    const [row, column] = [Math.floor(i / n), i % n];
    let sum = 0;
    for (let j = 0; j < k; j++) sum += a[row * k + j]! * b[j * n + column]!;
    return sum;
  });
}

function transposed(x: Values, height: number, width: number): number[] {
  return Array.from({ length: x.length }, (_, i) => x[(i % height) * width + Math.floor(i / height)]!);
}

interface Convolution {
  readonly n: number;
  readonly height: number;
  readonly width: number;
  readonly channels: number;
  readonly filters: number;
  readonly size: number;
  readonly stride: number;
  readonly pad: number;
}

/** Calls `visit` with the places in x, filter and y of every product that a convolution adds up. */
function visitTaps(
  { n, height, width, channels, filters, size, stride, pad }: Convolution,
  visit: (x: number, filter: number, y: number) => void,
): { outHeight: number; outWidth: number } {
  const [outHeight, outWidth] = [height, width].map(
    (side) => Math.floor((side + 2 * pad - size) / stride) + 1,
  ) as [number, number];
  for (let image = 0; image < n; image++)
    for (let oh = 0; oh < outHeight; oh++)
      for (let ow = 0; ow < outWidth; ow++)
        for (let kh = 0; kh < size; kh++)
          for (let kw = 0; kw < size; kw++) {
            const [h, w] = [oh * stride - pad + kh, ow * stride - pad + kw];
            if (h < 0 || w < 0 || h >= height || w >= width) continue;
            for (let c = 0; c < channels; c++)
              for (let f = 0; f < filters; f++)
                visit(
                  ((image * height + h) * width + w) * channels + c,
                  ((kh * size + kw) * channels + c) * filters + f,
                  ((image * outHeight + oh) * outWidth + ow) * filters + f,
                );
          }
  return { outHeight, outWidth };
}

describe.each(someOf([true, false], 1))('with fma %s, in double precision', (fma) => {
  beforeAll(async () => {
    await enableTraining({ fma });
  });

  // Around the edges of tiles of 3 x 12 and 4 x 8, of blocks, and of vectors of 4.
  it.each([
    [1, 1, 1],
    [1, 1000, 1],
    [2, 3, 11],
    [3, 2, 12],
    [4, 5, 13],
    [5, 1, 16],
    [7, 65, 20],
    [12, 256, 24],
    [13, 257, 25],
    [64, 31, 37],
    [97, 10, 3],
    [3, 513, 100],
  ])('a product of %i x %i x %i and its gradients', async (m, k, n) => {
    const [a, b, dy] = [floats(m * k, 1), floats(k * n, 2), floats(m * n, 3)];
    const [y, da, db] = await on('wasm', () => {
      const [left, right] = [tf.tensor2d(a, [m, k]), tf.tensor2d(b, [k, n])];
      const multiply = (x: tf.Tensor, z: tf.Tensor) => tf.matMul(x as tf.Tensor2D, z as tf.Tensor2D);
      const gradients = tf.grads(multiply)([left, right], tf.tensor2d(dy, [m, n]));
      return [multiply(left, right), ...gradients].map((tensor) => [...tensor.dataSync()]);
    });
    expect(error(y!, product(a, b, m, k, n), k)).toBeLessThan(LIMIT);
    expect(error(da!, product(dy, transposed(b, k, n), m, n, k), n)).toBeLessThan(LIMIT);
    expect(error(db!, product(transposed(a, m, k), dy, k, m, n), m)).toBeLessThan(LIMIT);
  });

  it.each([
    { n: 1, height: 1, width: 1, channels: 1, filters: 1, size: 1, stride: 1, pad: 0 },
    { n: 2, height: 5, width: 7, channels: 3, filters: 5, size: 3, stride: 1, pad: 1 },
    { n: 1, height: 6, width: 5, channels: 2, filters: 9, size: 3, stride: 2, pad: 1 },
    { n: 3, height: 4, width: 4, channels: 5, filters: 8, size: 1, stride: 1, pad: 0 },
    { n: 1, height: 9, width: 3, channels: 1, filters: 17, size: 2, stride: 3, pad: 2 },
    { n: 2, height: 8, width: 8, channels: 4, filters: 12, size: 5, stride: 1, pad: 2 },
    { n: 1, height: 7, width: 9, channels: 7, filters: 3, size: 4, stride: 2, pad: 0 },
  ])('a convolution and its gradients: %j', async (sizes) => {
    const { n, height, width, channels, filters, size, stride, pad } = sizes;
    const x = floats(n * height * width * channels, 4);
    const w = floats(size * size * channels * filters, 5);
    const { outHeight, outWidth } = visitTaps(sizes, () => {});
    const dy = floats(n * outHeight * outWidth * filters, 6);
    const [y, dx, dw] = [dy, x, w].map(({ length }) => new Array<number>(length).fill(0)) as [
      number[],
      number[],
      number[],
    ];
    visitTaps(sizes, (inX, inFilter, inY) => {
      y[inY]! += x[inX]! * w[inFilter]!;
      dx[inX]! += dy[inY]! * w[inFilter]!;
      dw[inFilter]! += dy[inY]! * x[inX]!;
    });
    const actual = await on('wasm', () => {
      const images = tf.tensor4d(x, [n, height, width, channels]);
      const filter = tf.tensor4d(w, [size, size, channels, filters]);
      const convolve = (a: tf.Tensor, b: tf.Tensor) =>
        tf.conv2d(a as tf.Tensor4D, b as tf.Tensor4D, stride, pad);
      const gradients = tf.grads(convolve)(
        [images, filter],
        tf.tensor4d(dy, [n, outHeight, outWidth, filters]),
      );
      return [convolve(images, filter), ...gradients].map((tensor) => [...tensor.dataSync()]);
    });
    expect(error(actual[0]!, y, size * size * channels)).toBeLessThan(LIMIT);
    expect(error(actual[1]!, dx, size * size * filters)).toBeLessThan(LIMIT);
    expect(error(actual[2]!, dw, n * outHeight * outWidth)).toBeLessThan(LIMIT);
  });

  it('sums of many numbers stay exact to a few units in the last place', async () => {
    for (const size of [100, 511, 512, 513, 5000, 100_003]) {
      const values = floats(size, size).map(Math.abs);
      const sum = await on('wasm', () => tf.sum(tf.tensor1d(values)).dataSync()[0]!);
      const expected = values.reduce((total, value) => total + value, 0);
      expect(Math.abs(sum - expected) / expected).toBeLessThan(4 * 2 ** -24);
    }
  });

  it('column sums and means of tall matrices stay exact to a few units in the last place', async () => {
    const [height, width] = [4097, 5];
    const values = floats(height * width, 9).map(Math.abs);
    const [sums, means] = await on('wasm', () => {
      const x = tf.tensor2d(values, [height, width]);
      return [tf.sum(x, 0), tf.mean(x, 0)].map((tensor) => [...tensor.dataSync()]);
    });
    for (let column = 0; column < width; column++) {
      let total = 0;
      for (let row = 0; row < height; row++) total += values[row * width + column]!;
      expect(Math.abs(sums![column]! - total) / total).toBeLessThan(32 * 2 ** -24);
      expect(Math.abs(means![column]! * height - total) / total).toBeLessThan(32 * 2 ** -24);
    }
  });

  it.each([
    ['exp', Math.exp, tf.exp, -80, 80],
    ['log', Math.log, tf.log, 1e-30, 1e30],
    ['tanh', Math.tanh, tf.tanh, -12, 12],
    ['sigmoid', (x: number) => 1 / (1 + Math.exp(-x)), tf.sigmoid, -60, 60],
    ['softplus', (x: number) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))), tf.softplus, -60, 60],
    ['elu', (x: number) => (x < 0 ? Math.expm1(x) : x), tf.elu, -30, 30],
    ['sqrt', Math.sqrt, tf.sqrt, 0, 1e20],
    ['rsqrt', (x: number) => 1 / Math.sqrt(x), tf.rsqrt, 1e-10, 1e10],
  ] as [string, (x: number) => number, (x: tf.Tensor) => tf.Tensor, number, number][])(
    '%s is right to a few units in the last place over its whole range',
    async (_name, exact, run, low, high) => {
      // Linear and, near zero, logarithmic.
      const values = floats(4000, 10).flatMap((value, i) => {
        const x = i % 2 ? low + ((value + 1) / 2) * (high - low) : value * 10 ** ((i % 60) / 10 - 5);
        const rounded = Math.fround(x);
        return rounded >= low && rounded <= high ? [rounded] : [];
      });
      const actual = await on('wasm', () => [...run(tf.tensor1d(values)).dataSync()]);
      for (const [i, x] of values.entries()) {
        const expected = exact(x);
        const far = Math.abs(actual[i]! - expected);
        expect(far, `${x}`).toBeLessThanOrEqual(Math.max(Math.abs(expected) * 5 * 2 ** -24, 1e-38));
      }
    },
  );

  it.each([1, 3, 4, 5, 12, 33, 100])('softmax of %i numbers adds up to 1 and is right', async (width) => {
    const values = floats(5 * width, width).map((value) => Math.fround(value * 20));
    const actual = await on('wasm', () => [...tf.softmax(tf.tensor2d(values, [5, width])).dataSync()]);
    for (let row = 0; row < 5; row++) {
      const own = values.slice(row * width, (row + 1) * width);
      const total = own.reduce((sum, value) => sum + Math.exp(value), 0);
      const found = actual.slice(row * width, (row + 1) * width);
      expect(found.reduce((sum, value) => sum + value)).toBeCloseTo(1, 6);
      for (const [i, value] of own.entries()) expect(found[i]).toBeCloseTo(Math.exp(value) / total, 6);
    }
  });
});

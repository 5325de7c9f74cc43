import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { wasmAccelerator } from '../src/accelerator/accelerator.js';
import { enableTraining } from '../src/index.js';
import { numbers, on } from './backends.js';

const { norm } = wasmAccelerator;

beforeAll(async () => {
  await enableTraining();
});

function random(seed: number, size: number): tf.Tensor1D {
  const next = numbers(seed);
  return tf.tensor1d(Array.from({ length: size }, () => next() * 2 - 1));
}

describe('the norm of several tensors', () => {
  it('is the norm of all together, and not finite where one of them is not', async () => {
    const norms = await on('wasm', () => [
      norm([
        tf.tensor1d([3]),
        tf.tensor2d([
          [0, 4],
          [0, 0],
        ]),
      ]),
      norm([random(1, 1001)]),
      norm([tf.tensor1d([1, Number.NaN]), tf.tensor1d([1])]),
      norm([tf.tensor1d([1, Number.NEGATIVE_INFINITY])]),
      tf.norm(random(1, 1001)).dataSync()[0],
      norm([tf.tensor1d([3e30, 0, 0, 0, 4e30])]),
      norm([tf.tensor1d([3e-30, 0, 0, 0, 4e-30])]),
    ]);
    expect(norms[0]).toBe(5);
    expect(norms[1]).toBeCloseTo(norms[4]!, 4);
    expect(norms[2]).toBeNaN();
    expect(norms[3]).toBe(Number.POSITIVE_INFINITY);
    expect(norms[5]! / 5e30).toBeCloseTo(1, 6); // squares that no float holds
    expect(norms[6]! / 5e-30).toBeCloseTo(1, 6);
    expect(await on('cpu', () => norm([tf.tensor1d([1])]))).toBeUndefined();
  });

  it('is right for any number of tensors, one call after the other', async () => {
    const sizes = [0, 1, 2, 60, 3];
    const norms = await on('wasm', () =>
      sizes.map((count) => norm(Array.from({ length: count }, (_, i) => tf.fill([20], i + 1)))),
    );
    const squares = (count: number) => Array.from({ length: count }, (_, i) => 20 * (i + 1) ** 2);
    const expected = sizes.map((count) => Math.sqrt(squares(count).reduce((sum, each) => sum + each, 0)));
    expect(norms).toEqual(expected);
  });
});

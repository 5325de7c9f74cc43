import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { wasmAccelerator } from '../src/accelerator/accelerator.js';
import { enableTraining } from '../src/index.js';
import { numbers, on } from './backends.js';
import { distance } from './compare.js';

beforeAll(async () => {
  await enableTraining();
});

function random(seed: number, size: number): tf.Tensor1D {
  const next = numbers(seed);
  return tf.tensor1d(Array.from({ length: size }, () => next() * 2 - 1));
}

/** As the trainer writes them. */
const LOSSES: Readonly<Record<string, (targets: tf.Tensor, outputs: tf.Tensor) => tf.Tensor>> = {
  meanSquaredError: (t, p) => tf.mean(tf.square(tf.sub(p, t))),
  binaryCrossentropy: (t, p) => {
    const q = tf.clipByValue(p, 1e-7, 1 - 1e-7);
    return tf.mean(tf.neg(tf.add(tf.mul(t, tf.log(q)), tf.mul(tf.sub(1, t), tf.log(tf.sub(1, q))))));
  },
  sigmoidCrossentropy: (t, p) => tf.mean(tf.sub(tf.softplus(p), tf.mul(t, p))),
  categoricalCrossentropy: (t, p) =>
    tf.mean(tf.neg(tf.sum(tf.mul(t, tf.log(tf.clipByValue(p, 1e-7, 1 - 1e-7))), -1))),
  softmaxCrossentropy: (t, p) => tf.mean(tf.neg(tf.sum(tf.mul(t, tf.logSoftmax(p)), -1))),
};

describe('a loss in one kernel', () => {
  const isLogits = (name: string) => /softmax|sigmoid|Squared/.test(name);
  it.each(Object.keys(LOSSES))(
    '%s has the value and the gradient of the portable operations',
    async (name) => {
      for (const shape of [
        [6, 5],
        [3, 4, 7],
        [1, 1],
        [9, 1],
        // More numbers than are summed at a time.
        [300, 7],
      ]) {
        const both = (loss: (t: tf.Tensor, p: tf.Tensor) => tf.Tensor) => {
          const size = tf.util.sizeFromShape(shape);
          const targets = tf.reshape(tf.abs(random(3, size)), shape);
          const raw = tf.reshape(random(4, size), shape);
          const outputs = isLogits(name) ? tf.mul(raw, 9) : tf.clipByValue(tf.abs(raw), 0, 1);
          // Another slope than 1 arrives from what the loss is part of.
          const { value, grad } = tf.valueAndGrad((p) => tf.mul(loss(targets, p), 3))(outputs);
          return [value, grad].map((tensor) => [...tensor.dataSync()]);
        };
        const expected = await on('cpu', () => both(LOSSES[name]!));
        const actual = await on('wasm', () => both((t, p) => wasmAccelerator.loss(name, t, p)!));
        for (const [i, values] of actual.entries()) expect(distance(values, expected[i]!)).toBeLessThan(2e-5);
      }
    },
  );

  it('is exact for what is improbable, needs no logits where nothing is expected, and shows NaN', async () => {
    const both = (name: string, target: number, outputs: number[]) =>
      on('wasm', () => {
        const targets = tf.oneHot(tf.tensor1d([target], 'int32'), outputs.length);
        const loss = (p: tf.Tensor) => wasmAccelerator.loss(name, targets, p)!;
        const { value, grad } = tf.valueAndGrad(loss)(tf.tensor2d([outputs]));
        return { value: value.dataSync()[0], gradient: [...grad.dataSync()] };
      });
    const improbable = await both('softmaxCrossentropy', 0, [0, 200, Number.NEGATIVE_INFINITY, 3, 5]);
    expect(improbable).toEqual({ value: 200, gradient: [-1, 1, 0, 0, 0] });
    for (const name of ['softmaxCrossentropy', 'categoricalCrossentropy']) {
      const broken = await both(name, 1, [0.1, Number.NaN, 0.2, 0.3, 0.4]);
      expect(broken.value).toBeNaN();
      expect(broken.gradient[1]).toBeNaN();
    }
    const clipped = await both('categoricalCrossentropy', 4, [0.2, 0.2, 0.3, 0.3, 0]);
    expect(clipped.value).toBeCloseTo(-Math.log(1e-7), 4);
    expect(clipped.gradient.map(Math.abs)).toEqual([0, 0, 0, 0, 0]);
  });

  it('takes integer targets, and is undefined where it cannot be computed in one go', async () => {
    const results = await on('wasm', () => {
      const outputs = tf.tensor2d([[0.9, 0.1]]);
      const targets = tf.tensor2d([[1, 0]], [1, 2], 'int32');
      return [
        wasmAccelerator.loss('categoricalCrossentropy', targets, outputs)?.dataSync()[0],
        wasmAccelerator.loss('hinge', targets, outputs),
        wasmAccelerator.loss('meanSquaredError', tf.tensor1d([1]), outputs),
      ];
    });
    expect(results[0]).toBeCloseTo(-Math.log(0.9), 6);
    expect(results.slice(1)).toEqual([undefined, undefined]);
    expect(
      await on('cpu', () => wasmAccelerator.loss('meanSquaredError', tf.ones([1]), tf.ones([1]))),
    ).toBeUndefined();
  });
});

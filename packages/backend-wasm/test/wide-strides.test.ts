import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import { on } from './backends.js';

beforeAll(async () => {
  await enableTraining();
});

type Five = [number, number, number, number, number];

/** Along one axis: how long it is, how long windows are, how far apart. Where tfjs pads volumes by less than nothing. */
const AXES = [
  { size: 5, window: 1, stride: 3 },
  { size: 7, window: 2, stride: 5 },
  { size: 5, window: 2, stride: 4 },
  { size: 4, window: 1, stride: 2 },
];
const PLACES = ['depth', 'height', 'width'] as const;
const CASES = AXES.flatMap((axis) => PLACES.map((place) => ({ ...axis, place })));

const shapeOf = (place: (typeof PLACES)[number], size: number): Five => {
  const shape: Five = [1, 1, 1, 1, 1];
  shape[PLACES.indexOf(place) + 1] = size;
  return shape;
};
const threeOf = (place: (typeof PLACES)[number], value: number) =>
  shapeOf(place, value).slice(1, 4) as [number, number, number];

/** TensorFlow pads nothing there: windows begin with the first element. */
function windowsOf({ size, window, stride }: { size: number; window: number; stride: number }): number[][] {
  return Array.from({ length: Math.ceil(size / stride) }, (_, i) =>
    Array.from({ length: window }, (_, k) => i * stride + k).filter((at) => at < size),
  );
}

const values = (size: number) => Array.from({ length: size }, (_, i) => (i * 7) % 5);
const sum = (terms: readonly number[]) => terms.reduce((total, term) => total + term, 0);

describe('windows that are further apart than they are long', () => {
  it.each(CASES)(
    'maxPool3d takes all of them from the start: $size elements of the $place, $window every $stride',
    async ({ place, ...axis }) => {
      const [pooled, gradient] = await on('wasm', () => {
        const x = tf.tensor5d(values(axis.size), shapeOf(place, axis.size));
        const run = (at: tf.Tensor) =>
          tf.maxPool3d(at as tf.Tensor5D, threeOf(place, axis.window), threeOf(place, axis.stride), 'same');
        return [run(x), tf.grad((at) => tf.sum(run(at)))(x)].map((tensor) => [...tensor.dataSync()]);
      });
      const largest = windowsOf(axis).map((window) => {
        const most = Math.max(...window.map((at) => values(axis.size)[at]!));
        return { most, at: window.find((at) => values(axis.size)[at] === most) };
      });
      expect(pooled).toEqual(largest.map(({ most }) => most));
      expect(gradient).toEqual(values(axis.size).map((_, i) => Number(largest.some(({ at }) => at === i))));
    },
  );

  it.each(CASES)(
    'avgPool3d takes all of them from the start: $size elements of the $place, $window every $stride',
    async ({ place, ...axis }) => {
      const [pooled, gradient] = await on('wasm', () => {
        const x = tf.tensor5d(values(axis.size), shapeOf(place, axis.size));
        const run = (at: tf.Tensor) =>
          tf.avgPool3d(at as tf.Tensor5D, threeOf(place, axis.window), threeOf(place, axis.stride), 'same');
        return [run(x), tf.grad((at) => tf.sum(run(at)))(x)].map((tensor) => [...tensor.dataSync()]);
      });
      const windows = windowsOf(axis);
      expect(pooled).toEqual(
        windows.map((window) => sum(window.map((at) => values(axis.size)[at]!)) / window.length),
      );
      // As everywhere in tfjs, an element gets the share that it has in a complete window.
      expect(gradient).toEqual(
        values(axis.size).map((_, i) => Number(windows.some((window) => window.includes(i))) / axis.window),
      );
    },
  );

  it.each(CASES)(
    'conv3d takes all of them from the start: $size elements of the $place, $window every $stride',
    async ({ place, ...axis }) => {
      const weights = values(axis.window).map((value) => value + 1);
      const [result, ofInput, ofFilter] = await on('wasm', () => {
        const x = tf.tensor5d(values(axis.size), shapeOf(place, axis.size));
        const filter = tf.tensor5d(weights, [...threeOf(place, axis.window), 1, 1]);
        const run = (at: tf.Tensor, w: tf.Tensor) =>
          tf.conv3d(at as tf.Tensor5D, w as tf.Tensor5D, threeOf(place, axis.stride), 'same');
        const gradients = tf.grads((at: tf.Tensor, w: tf.Tensor) => tf.sum(run(at, w)))([x, filter]);
        return [run(x, filter), ...gradients].map((tensor) => [...tensor.dataSync()]);
      });
      const windows = windowsOf(axis);
      expect(result).toEqual(
        windows.map((window) => sum(window.map((at, k) => values(axis.size)[at]! * weights[k]!))),
      );
      const expectedInput = values(axis.size).map((_, i) =>
        sum(windows.map((window) => weights[window.indexOf(i)] ?? 0)),
      );
      expect(ofInput).toEqual(expectedInput);
      const expectedFilter = weights.map((_, k) =>
        sum(windows.map((window) => values(axis.size)[window[k]!] ?? 0)),
      );
      expect(ofFilter).toEqual(expectedFilter);
    },
  );

  it('leaves nothing behind', async () => {
    const held = () => (tf.backend() as unknown as { numDataIds(): number }).numDataIds();
    await tf.setBackend('wasm');
    const before = [held(), tf.memory().numTensors];
    await on('wasm', () => {
      const pool = (x: tf.Tensor) => tf.sum(tf.avgPool3d(x as tf.Tensor5D, 1, 3, 'same'));
      tf.grad(pool)(tf.ones([1, 5, 5, 5, 2]));
    });
    expect([held(), tf.memory().numTensors]).toEqual(before);
  });
});

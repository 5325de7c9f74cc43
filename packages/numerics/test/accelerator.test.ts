import * as tf from '@tensorflow/tfjs-core';
import { beforeEach, expect, test } from 'vitest';
import {
  type Accelerator,
  activeAccelerator,
  provideAccelerator,
  withoutPrefix,
  withPrefix,
} from '../src/index.js';
import { useStockBackend } from './backends.js';

import '@tensorflow/tfjs-backend-cpu';

const fast = (): Accelerator => ({
  loss: () => undefined,
  update: () => false,
  norm: () => 5,
  statistics: () => undefined,
  movement: () => undefined,
});

beforeEach(() => useStockBackend('cpu'));

test('a backend has no accelerator until one is offered, and none after it is taken back', () => {
  expect(activeAccelerator()).toBeUndefined();
  const accelerator = fast();
  const takeBack = provideAccelerator('cpu', accelerator);
  expect(activeAccelerator()).toBe(accelerator);
  takeBack();
  expect(activeAccelerator()).toBeUndefined();
});

test('it is that of the active backend', async () => {
  const takeBack = provideAccelerator('wasm', fast());
  expect(activeAccelerator()).toBeUndefined();
  await useStockBackend('wasm');
  expect(activeAccelerator()?.norm([tf.scalar(1)])).toBe(5);
  takeBack();
});

test('a second offer replaces the first, and taking the first back then changes nothing', () => {
  const [first, second] = [fast(), fast()];
  const takeFirst = provideAccelerator('cpu', first);
  const takeSecond = provideAccelerator('cpu', second);
  takeFirst();
  expect(activeAccelerator()).toBe(second);
  takeSecond();
  expect(activeAccelerator()).toBeUndefined();
});

test('another copy of this package sees the same accelerators', () => {
  const accelerator = fast();
  const takeBack = provideAccelerator('cpu', accelerator);
  const shared = (globalThis as Record<symbol, unknown>)[Symbol.for('hookline.accelerators')] as {
    accelerators: Map<string, Accelerator>;
  };
  expect(shared.accelerators.get('cpu')).toBe(accelerator);
  takeBack();
  expect(shared.accelerators.has('cpu')).toBe(false);
});

test('names get a prefix and lose it; values under other names are left out', () => {
  const prefixed = withPrefix({ a: 1, b: 2 }, 'model/');
  expect(prefixed).toEqual({ 'model/a': 1, 'model/b': 2 });
  expect(withoutPrefix({ ...prefixed, 'other/a': 3, model: 4 }, 'model/')).toEqual({ a: 1, b: 2 });
});

import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { readNumbers } from '../src/index.js';
import { distantBackend, useStockBackend } from './backends.js';

const distant = distantBackend();

describe.each(['cpu', 'wasm', 'a device'])('on %s, readNumbers', (name) => {
  const backend = name === 'a device' ? distant.name : name;

  test('gives the numbers of each tensor, whatever its type and shape', async () => {
    await useStockBackend(backend);
    const tensors = [
      tf.tensor2d([
        [1.5, 2],
        [3, 4],
      ]),
      tf.scalar(7, 'int32'),
      tf.tensor1d([true, false]),
      tf.tensor1d([]),
    ];
    expect(await readNumbers(tensors)).toEqual([[1.5, 2, 3, 4], [7], [1, 0], []]);
    // They remain the caller's.
    expect(tensors.some(({ isDisposed }) => isDisposed)).toBe(false);
    tf.dispose(tensors);
  });

  test('keeps NaN and infinity, and leaves no tensor behind', async () => {
    await useStockBackend(backend);
    const tensor = tf.tensor1d([Number.NaN, -Infinity]);
    const before = tf.memory().numTensors;
    expect(await readNumbers([tensor, tensor])).toEqual([
      [Number.NaN, -Infinity],
      [Number.NaN, -Infinity],
    ]);
    expect(tf.memory().numTensors).toBe(before);
    tensor.dispose();
  });

  test('of nothing reads nothing', async () => {
    await useStockBackend(backend);
    const before = distant.reads;
    expect(await readNumbers([])).toEqual([]);
    expect(distant.reads).toBe(before);
  });
});

import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { ActivationCapture } from '../src/activation-capture.js';
import { train } from './tiny-training.js';

test('what goes into a layer and comes out of it is kept for the latest batches', async () => {
  const capture = new ActivationCapture('encoder', { maxCapturedStates: 3 });

  await train([capture], { epochs: 1, validation: undefined });

  expect(capture.captured.map(({ path, step }) => [path, step])).toEqual([
    ['encoder', 5],
    ['encoder', 6],
    ['encoder', 7],
  ]);
  const { inputs, output } = capture.captured[0]!;
  expect([inputs[0]!.shape, output.shape]).toEqual([
    [8, 2],
    [8, 4],
  ]);
  expect(Math.min(...output.dataSync())).toBe(0); // relu
  capture.clear();
});

test('the memory is bounded, and clear() frees it', async () => {
  const capture = new ActivationCapture('**', { maxCapturedStates: 4 });
  const before = tf.memory().numTensors;
  await train([]);
  const usual = tf.memory().numTensors - before;
  await train([capture]);

  expect(tf.memory().numTensors - before - 2 * usual).toBe(4 * 2);
  capture.clear();
  expect(tf.memory().numTensors - before).toBe(2 * usual);
});

test('training is the same with it and without it', async () => {
  const capture = new ActivationCapture('**');
  expect((await train([capture])).weights).toEqual((await train([])).weights);
  capture.clear();
});

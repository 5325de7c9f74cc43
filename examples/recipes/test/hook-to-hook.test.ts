import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { gapConsumer, gapProducer } from '../src/hook-to-hook.js';
import { plane, train } from './tiny-training.js';

// Targets that contradict what is taught: the gap is wide from the start.
const contradiction = { xs: plane(16).xs, ys: tf.mul(plane(16).ys, -1) };

test('the consumer acts on what the producer left in the same epoch', async () => {
  const { result } = await train([gapProducer, gapConsumer()], { validation: contradiction, epochs: 5 });

  expect(result.history).toHaveLength(1);
  const { 'val/loss': seen, 'train/loss': taught } = result.history[0]!;
  expect(result.stopReason).toBe(`the model overfits: gap ${(seen! - taught!).toFixed(2)} in epoch 1`);
});

test('without a producer the consumer has nothing to act on', async () => {
  const { result } = await train([gapConsumer()], { validation: contradiction, epochs: 2 });

  expect(result.status).toBe('completed');
});

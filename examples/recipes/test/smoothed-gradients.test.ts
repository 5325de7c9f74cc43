import { defineHook } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { smoothedGradients } from '../src/smoothed-gradients.js';
import { memoryCheckpoints } from './memory-checkpoints.js';
import { train } from './tiny-training.js';

test('each update uses nine parts of the average so far and one part of the new gradient', async () => {
  const computed: number[] = [];
  const applied: number[] = [];
  const observer = defineHook({
    name: 'observer',
    onAfterBackward: (_ctx, { gradients }) => void computed.push(gradients['head/bias']!.dataSync()[0]!),
    onBeforeOptimizerStep: (_ctx, { gradients }) => void applied.push(gradients['head/bias']!.dataSync()[0]!),
  });

  await train([smoothedGradients({ decay: 0.9 }), observer]);

  let average = computed[0]!;
  for (const [step, gradient] of computed.entries()) {
    average = 0.9 * average + 0.1 * gradient;
    expect(applied[step]).toBeCloseTo(average, 4);
  }
});

test('a resumed run ends with the same weights as one that never stopped: the averages are saved', async () => {
  const whole = await train([smoothedGradients()], { epochs: 3 });
  const checkpoints = memoryCheckpoints();
  await train([smoothedGradients(), checkpoints], { epochs: 1 });
  const saved = checkpoints.latest!;

  const resumed = await train([smoothedGradients(), memoryCheckpoints(saved)], { epochs: 3, resume: 'auto' });

  expect(Object.keys(saved.hooks!)).toContain('smoothed-gradients/encoder/kernel');
  expect(resumed.weights).toEqual(whole.weights);
});

test('no tensor is left behind', async () => {
  const before = tf.memory().numTensors;
  await train([]);
  const usual = tf.memory().numTensors - before;
  await train([smoothedGradients()]);

  expect(tf.memory().numTensors - before).toBe(2 * usual);
});

import { defineHook } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { gradientNoise } from '../src/gradient-noise.js';
import { plane, train } from './tiny-training.js';

test('the noise changes training, and is the same when the run is repeated with its seed', async () => {
  const noisy = await train([gradientNoise()]);

  expect(noisy.weights).not.toEqual((await train([])).weights);
  expect((await train([gradientNoise()])).weights).toEqual(noisy.weights);
});

test('it fades with the steps', async () => {
  const before: number[] = [];
  const noise: number[] = [];
  const numbersOf = (gradients: Readonly<Record<string, { dataSync(): ArrayLike<number> }>>) =>
    Object.values(gradients).flatMap((gradient) => Array.from(gradient.dataSync()));
  const observer = defineHook({
    name: 'observer',
    onAfterBackward: (_ctx, { gradients }) => void before.splice(0, before.length, ...numbersOf(gradients)),
    onBeforeOptimizerStep: (_ctx, { gradients }) =>
      void noise.push(Math.hypot(...numbersOf(gradients).map((number, index) => number - before[index]!))),
  });

  await train([gradientNoise(), observer], { train: plane(100), batchSize: 1, epochs: 1 });

  expect(noise[0]).toBeGreaterThan(0.01);
  expect(noise[99]).toBeLessThan(noise[0]! / 5);
  expect(noise[99]).toBeGreaterThan(0);
});

test('a scale of 0 adds no noise', async () => {
  expect((await train([gradientNoise({ scale: 0 })])).weights).toEqual((await train([])).weights);
});

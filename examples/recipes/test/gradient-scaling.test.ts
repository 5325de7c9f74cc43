import { expect, test } from 'vitest';
import { gradientScaling } from '../src/gradient-scaling.js';
import { train } from './tiny-training.js';

test('half the gradients move plain SGD exactly as far as half the learning rate', async () => {
  const scaled = await train(
    [gradientScaling({ factor: 0.5 })],
    {},
    { optimizer: { name: 'sgd', lr: 0.0625 } },
  );
  const slower = await train([], {}, { optimizer: { name: 'sgd', lr: 0.03125 } });

  expect(scaled.weights).toEqual(slower.weights);
});

test('a factor of 0 keeps the model as it is', async () => {
  const still = await train([gradientScaling({ factor: 0 })], { epochs: 3 });

  expect(still.weights).toEqual((await train([gradientScaling({ factor: 0 })], { epochs: 1 })).weights);
});

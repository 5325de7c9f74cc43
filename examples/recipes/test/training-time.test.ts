import { expect, test } from 'vitest';
import { trainingTime } from '../src/training-time.js';
import { train } from './tiny-training.js';

test('each epoch and the whole training are timed', async () => {
  const { said } = await train([trainingTime()], { epochs: 2 });

  const lines = said
    .filter((line) => line.includes('training-time'))
    .map((line) => line.replace(/[\d.]+ seconds/, 'N s'));
  expect(lines).toEqual([
    'info training-time: Training started',
    'info training-time: Epoch 1 took N s',
    'info training-time: Epoch 2 took N s',
    'info training-time: Training completed after N s',
  ]);
});

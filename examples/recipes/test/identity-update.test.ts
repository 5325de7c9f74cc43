import { expect, test } from 'vitest';
import { identityUpdate } from '../src/identity-update.js';
import { train } from './tiny-training.js';

test('training is the same to the last bit with it and without it', async () => {
  const without = await train([]);
  const passed = await train([identityUpdate]);

  expect(passed.weights).toEqual(without.weights);
  expect(passed.result.history).toEqual(without.result.history);
  expect(passed.result.hookCosts[0]).toMatchObject({ name: 'identity-update', calls: 16 });
});

import { expect, test } from 'vitest';
import { weightNorm } from '../src/weight-norm.js';
import { train } from './tiny-training.js';

test('the norm of the weights is logged as often as it was configured', async () => {
  const { logged, weights } = await train([weightNorm({ frequency: 4 })], { epochs: 2 });

  expect(logged.map(({ step }) => step)).toEqual([4, 8, 12, 16]);
  expect(logged.at(-1)!['weights/norm']).toBeCloseTo(Math.hypot(...weights), 5);
});

test('it is silent unless it is asked to be verbose', async () => {
  const quiet = await train([weightNorm({ frequency: 8 })], { epochs: 1 });
  const verbose = await train([weightNorm({ frequency: 8, verbose: true })], { epochs: 1 });

  const own = (said: string[]) => said.filter((line) => line.includes('weight-norm'));
  expect(own(quiet.said)).toEqual([]);
  expect(own(verbose.said)).toEqual([expect.stringMatching(/^info weight-norm: Step 8: .* \d\.\d{3}$/)]);
});

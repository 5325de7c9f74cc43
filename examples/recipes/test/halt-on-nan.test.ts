import { expect, test } from 'vitest';
import { haltOnNan } from '../src/halt-on-nan.js';
import { brokenData, train } from './tiny-training.js';

test('training ends at the first NaN', async () => {
  const { result, said } = await train([haltOnNan], { train: brokenData(64) });

  expect(result).toMatchObject({ status: 'stopped', stopReason: 'NaN loss at step 1' });
  expect(said.filter((line) => line.startsWith('error'))).toEqual([]);
});

test('finite losses do not halt the run', async () => {
  expect((await train([haltOnNan])).result.status).toBe('completed');
});

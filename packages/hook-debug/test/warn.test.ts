import { expect, test } from 'vitest';
import { debug } from '../src/index.js';
import { watchedRun } from './watched-run.js';

test('with warn training continues exactly as without the hook', async () => {
  const data = { xs: [[1], [2], [Number.NaN], [3]], ys: [[1], [2], [3], [4]] };
  const without = await watchedRun([], { data });
  const watched = await watchedRun([debug({ nan: 'warn' })], { data });
  expect(watched.result).toMatchObject({ status: 'completed', stopReason: undefined });
  expect(watched.weights).toEqual(without.weights);
  expect(watched.said.map(({ level }) => level)).toEqual(['warn']);
  expect(watched.said[0]!.message).toContain("Training continues (nan: 'warn')");
});

test('a bad stretch is reported once, and the next one again', async () => {
  const xs = [[1], [Number.NaN], [Number.NaN], [2], [Number.NaN]];
  // The bad gradients are not used: otherwise nothing would ever be good again.
  const { said } = await watchedRun([debug({ nan: 'warn' })], {
    data: { xs, ys: xs.map(() => [0]) },
    nonFiniteLoss: 'skip',
  });
  expect(said.map(({ fields }) => fields.batch)).toEqual([1, 4]);
});

test('every run reports its own findings', async () => {
  const hook = debug();
  const data = { xs: [[Number.NaN]], ys: [[1]] };
  expect((await watchedRun([hook], { data })).said).toHaveLength(1);
  expect((await watchedRun([hook], { data })).said).toHaveLength(1);
});

import { expect, test } from 'vitest';
import { sampledAnalysis } from '../src/sampled-analysis.js';
import { plane, train } from './tiny-training.js';

const manySteps = { train: plane(200), batchSize: 1, epochs: 1 };

test('about a tenth of the batches are analysed, the same ones when the run is repeated', async () => {
  const first = await train([sampledAnalysis()], manySteps);
  const again = await train([sampledAnalysis()], manySteps);

  expect(first.logged.length).toBeGreaterThan(8);
  expect(first.logged.length).toBeLessThan(40);
  expect(again.logged).toEqual(first.logged);
});

test('it tells the share of zeros in each gradient', async () => {
  const { logged } = await train([sampledAnalysis({ rate: 1 })], { epochs: 1 });

  const paths = ['zeros/encoder/kernel', 'zeros/encoder/bias', 'zeros/head/kernel', 'zeros/head/bias'];
  expect(Object.keys(logged[0]!)).toEqual(['step', ...paths]);
  for (const values of logged) {
    for (const path of paths) expect(values[path]).toBeGreaterThanOrEqual(0);
    expect(values['zeros/head/bias']).toBe(0);
  }
});

import { regression, regressor } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

const FIT = {
  train: regression(16, 1),
  validation: regression(8, 2),
  epochs: 3,
  batchSize: 4,
  shuffle: false,
};

test('metrics of the result are what was measured and what your hooks logged, not what built-in monitors log', async () => {
  const seen: string[] = [];
  const trainer = quietTrainer({
    model: regressor,
    hooks: [
      { name: 'mine', onEpochEnd: (ctx) => ctx.log({ 'mine/score': 7 }) },
      { name: 'gradient-monitor', onStepEnd: (ctx) => ctx.log({ 'grad/norm': 1 }) },
      { name: 'reader', onTrainEnd: (ctx) => void seen.push(...Object.keys(ctx.metrics)) },
    ],
  });
  const { metrics } = await trainer.fit(FIT);
  expect(Object.keys(metrics).sort()).toEqual(['mine/score', 'train/loss', 'val/loss']);
  expect(seen).toContain('grad/norm');
});

test('the best epoch counts from 1, as in everything that is printed', async () => {
  const { best, history } = await quietTrainer({ model: regressor }).fit(FIT);
  const losses = history.map((epoch) => epoch['val/loss']!);
  expect(best).toEqual({
    metric: 'val/loss',
    value: Math.min(...losses),
    epoch: losses.indexOf(Math.min(...losses)) + 1,
  });
});

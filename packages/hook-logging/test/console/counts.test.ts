import type { Hook, Metrics } from '@hookline/hook-api';
import { samples, tinyRun } from '@hookline/test-runs';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { type ConsoleLogOptions, consoleLog } from '../../src/index.js';

/** The lines of epochs when a hook logs these values, one set in each epoch. */
async function epochLines(values: readonly Metrics[], options: ConsoleLogOptions = {}): Promise<string[]> {
  const chunks: string[] = [];
  const logs: Hook = {
    name: 'logs',
    onTrainBatchEnd: (ctx, { batchIndex }) =>
      batchIndex === 0 ? ctx.log(values[ctx.state.epoch]!) : undefined,
  };
  const { trainer } = tinyRun([
    logs,
    consoleLog({ every: false, write: (text) => chunks.push(text), ...options }),
  ]);
  await trainer.fit({ train: samples(4), epochs: values.length, batchSize: 2 });
  return chunks
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('epoch'))
    .map((line) => line.replace(/^epoch \S+ {2}train loss +\S+ {0,2}/, '').replace(/ *[\d.]+ s$/, ''));
}

test('a series that has been 0 in every epoch is not printed until it is not 0', async () => {
  const lines = await epochLines([
    { 'grad/norm': 0.5, 'grad/nonfinite': 0, 'grad/vanishing': 0 },
    { 'grad/norm': 0.25, 'grad/nonfinite': 0, 'grad/vanishing': 2 },
    { 'grad/norm': 0.125, 'grad/nonfinite': 0, 'grad/vanishing': 0 },
  ]);
  expect(lines).toEqual([
    'grad norm   0.5000',
    'grad norm   0.2500 vanishing 2',
    'grad norm   0.1250 vanishing 0',
  ]);
});

test('counts are whole numbers', async () => {
  const lines = await epochLines([{ 'data/rows': 12_345 }, { 'data/rows': 7 }, { 'data/rows': 1_000_000 }]);
  expect(lines).toEqual(['data rows 12,345', 'data rows      7', 'data rows 1,000,000']);
});

test('a series that turns out not to be a count has digits from then on', async () => {
  const lines = await epochLines([
    { 'my/share': 1 },
    { 'my/share': 0.25 },
    { 'my/share': 1 },
    { 'my/share': 0 },
  ]);
  expect(lines).toEqual(['my share 1', 'my share 0.2500', 'my share  1.000', 'my share  0.000']);
});

test('what was 0 is there when it is NaN', async () => {
  const lines = await epochLines([{ 'grad/norm': 0 }, { 'grad/norm': Number.NaN }]);
  expect(lines).toEqual(['', expect.stringMatching(/^grad norm +NaN$/)]);
});

test('a series that is asked for by name is printed even when it is 0, as a whole number', async () => {
  const lines = await epochLines([{ 'grad/nonfinite': 0 }], { metrics: ['train/*', 'grad/*'] });
  expect(lines).toEqual(['grad nonfinite 0']);
});

test('losses and metrics of training, validation and tests are always printed, with their digits', async () => {
  const chunks: string[] = [];
  const { trainer } = tinyRun([consoleLog({ every: 1, write: (text) => chunks.push(text) })], {
    metrics: ['meanAbsoluteError'],
    optimizer: { name: 'sgd', lr: 0 },
    model: () =>
      tfl.sequential({
        layers: [tfl.layers.dense({ inputShape: [2], units: 1, kernelInitializer: 'zeros' })],
      }),
  });
  const data = { xs: samples(2).xs, ys: tf.zeros([2, 1]) };
  await trainer.fit({ train: data, validation: data, epochs: 1, batchSize: 2 });
  await trainer.test({ data });
  const text = chunks.join('');
  expect(text).toMatch(/batch 1\/1 {2}loss +0\.000 {2}avg +0\.000 {2}meanAbsoluteError +0\.000/);
  expect(text).toMatch(/train loss +0\.000 meanAbsoluteError +0\.000 {2}val loss +0\.000/);
  expect(text).toMatch(/test loss 0\.000 meanAbsoluteError 0\.000/);
});

import { defineHook } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { averageLoss } from '../src/average-loss.js';
import { plane, train } from './tiny-training.js';

test('the mean of the losses since the epoch began is logged every 100 batches', async () => {
  const losses: number[] = [];
  const collector = defineHook({
    name: 'collector',
    onTrainBatchEnd: (_ctx, { loss }) => void losses.push(loss!),
  });

  const { said } = await train([averageLoss, collector], { train: plane(250), batchSize: 1, epochs: 1 });

  const mean = (count: number) => losses.slice(0, count).reduce((a, b) => a + b) / count;
  expect(said.filter((line) => line.includes('average-loss'))).toEqual([
    `info average-loss: Average loss: ${mean(100).toFixed(4)}`,
    `info average-loss: Average loss: ${mean(200).toFixed(4)}`,
  ]);
});

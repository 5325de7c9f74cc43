import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { expect, onTestFinished, test } from 'vitest';
import { liveLearningRate } from '../src/live-learning-rate.js';
import { train } from './tiny-training.js';

test('the number in the file scales the learning rate, and a typo only costs a log line', async () => {
  const { file, scales, result, said } = await trainWithFile(['0.5', 'o.25', '0.25', '0.125']);

  expect(scales).toEqual([0.5, 0.5, 0.25, 0.125]);
  expect(said.filter((line) => line.startsWith('error'))).toEqual([
    `error live-learning-rate: Hook "live-learning-rate" failed in onEpochStart at step 8: ${file} must hold a number above 0`,
  ]);
  expect(result.status).toBe('completed');
});

test('after three failures in a row the hook is switched off, and training continues', async () => {
  const { scales, result, said } = await trainWithFile(['', '', '', '0.5', '0.5']);

  expect(scales).toEqual([1, 1, 1, 1, 1]);
  expect(said.at(-1)).toBe(
    'error live-learning-rate: Hook "live-learning-rate" is disabled: onEpochStart failed 3 times in a row.',
  );
  expect(result.history).toHaveLength(5);
});

/** Trains one epoch for each text; before each epoch the file gets the next one. */
async function trainWithFile(texts: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'lr-scale.txt');
  const scales: number[] = [];
  const editor: Hook = {
    name: 'editor',
    onEpochStart: (_ctx, { epoch }) => writeFile(file, texts[epoch]!),
    onEpochEnd: ({ state }) => void scales.push(state.optimizers[0]!.groups[0]!.lrScale),
  };
  const training = await train([editor, liveLearningRate({ file })], { epochs: texts.length });
  return { file, scales, ...training };
}

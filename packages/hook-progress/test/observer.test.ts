import { readFile } from 'node:fs/promises';
import { type Hook, kindsOf } from '@hookline/hook-api';
import { samples, tinyRun } from '@hookline/test-runs';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { progress } from '../src/index.js';
import { FakeTerminal } from './fake-terminal.js';

async function outcome(hooks: Hook[]): Promise<{ history: unknown; weights: number[] }> {
  const { trainer, weights } = tinyRun(hooks);
  const { history } = await trainer.fit({
    train: samples(80),
    validation: samples(8),
    epochs: 3,
    batchSize: 2,
  });
  return { history, weights: await weights() };
}

test('training is the same to the bit with the bar and without', async () => {
  const hook = progress({ stream: new FakeTerminal(), refreshMs: 0 });
  expect(await outcome([hook])).toEqual(await outcome([]));
});

test('drawing every batch keeps no tensor', async () => {
  const { trainer } = tinyRun([progress({ stream: new FakeTerminal(), refreshMs: 0 })]);
  const data = samples(80);
  await trainer.fit({ train: data, epochs: 1, batchSize: 2 });
  const { numTensors } = tf.memory();
  await trainer.fit({ train: data, epochs: 3, batchSize: 2 });
  expect(tf.memory().numTensors).toBe(numTensors);
});

test('the hook of the manifest is exported under its name, and is of the kinds that it says', async () => {
  const { trainerHooks } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  expect(Object.keys(trainerHooks.hooks)).toEqual(['progress']);
  expect(trainerHooks.hooks.progress.export).toBe('progress');
  expect(progress().name).toBe('progress');
  expect(kindsOf(progress())).toEqual(trainerHooks.hooks.progress.kinds);
});

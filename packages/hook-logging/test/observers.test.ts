import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { consoleLog, jsonLog } from '../src/index.js';
import { samples, tinyRun } from './tiny-run.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-observers-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function outcome(hooks: Hook[]): Promise<{ history: unknown; weights: number[] }> {
  const { trainer, weights } = tinyRun(hooks, { metrics: ['meanAbsoluteError'] });
  const { history } = await trainer.fit({
    train: samples(80),
    validation: samples(8),
    epochs: 3,
    batchSize: 2,
  });
  return { history, weights: await weights() };
}

test('training is the same to the bit with every logging hook on and with none', async () => {
  const hooks = [
    consoleLog({ every: 1, write: () => {} }),
    jsonLog({ every: 1, file: join(folder, 'log.jsonl') }),
  ];
  expect(await outcome(hooks)).toEqual(await outcome([]));
});

test('logging every batch keeps no tensor', async () => {
  const hooks = [
    consoleLog({ every: 1, write: () => {} }),
    jsonLog({ every: 1, file: join(folder, 'log.jsonl') }),
  ];
  const { trainer } = tinyRun(hooks);
  const data = samples(80);
  await trainer.fit({ train: data, epochs: 1, batchSize: 2 });
  const { numTensors } = tf.memory();
  await trainer.fit({ train: data, epochs: 3, batchSize: 2 });
  expect(tf.memory().numTensors).toBe(numTensors);
});

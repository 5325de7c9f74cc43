import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Batch, Hook, Snapshot, TensorTree } from '@hookline/hook-api';
import { tempFolder } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { layers, type Sequential, sequential } from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { readBundle } from '../src/bundle/read-bundle.js';
import { debug, replay } from '../src/index.js';
import { watchedRun } from './watched-run.js';

const NUMBERS = [1, 2, Number.NaN];
const data = { xs: NUMBERS.map((x) => [[x]]), ys: NUMBERS.map(() => [1]) };

/** Remembers the batches before this one. */
function remembering(): Sequential {
  return sequential({
    layers: [
      layers.simpleRNN({ name: 'memory', units: 1, stateful: true, batchInputShape: [1, 1, 1] }),
      layers.dense({ name: 'out', units: 1 }),
    ],
  });
}

/** What the layer remembers before each batch. */
function watchMemory(): { hook: Hook; seen: number[] } {
  const seen: number[] = [];
  const hook: Hook = {
    name: 'memory-watcher',
    async onTrainBatchStart(ctx) {
      const { partial = {} } = await ctx.snapshot();
      const memory = Object.entries(partial).find(([name]) => name.startsWith('states/'));
      seen.push(memory ? memory[1].data[0]! : 0);
    },
  };
  return { hook, seen };
}

test('the bundle holds what a stateful RNN remembered before the bad batch', async () => {
  const { hook, seen } = watchMemory();
  const run = await watchedRun([hook, debug()], { model: remembering, data, runsDir: tempFolder() });
  const folder = join(run.result.runDir, 'debug', '2');
  const { states } = await readBundle(folder);
  expect([...states.values()].map(({ data: values }) => [...values])).toEqual([[seen[2]]]);
  // Something, and another thing than before the first batch.
  expect(seen[2]).not.toBe(0);
  expect(Number.isFinite(seen[2])).toBe(true);
});

test('a model without memory has no file for it', async () => {
  const flat = { xs: [[1], [Number.NaN]], ys: [[1], [1]] };
  const run = await watchedRun([debug()], { data: flat, runsDir: tempFolder() });
  const folder = join(run.result.runDir, 'debug', '1');
  expect(existsSync(join(folder, 'bundle.json'))).toBe(true);
  expect(existsSync(join(folder, 'states.safetensors'))).toBe(false);
});

test('a replay names the batch, and the layer that remembers as the first bad one', async () => {
  const run = await watchedRun([debug()], { model: remembering, data, runsDir: tempFolder() });
  const loss = (outputs: TensorTree, { ys }: Batch) =>
    tf.losses.meanSquaredError(ys as tf.Tensor, outputs as tf.Tensor) as tf.Scalar;
  const found = await replay(join(run.result.runDir, 'debug', '2'), { model: remembering, loss });
  expect(found.bad).toBe(true);
  expect(found.firstBadLayer).toMatch(/^memory/);
  expect(found.text).toContain('The batch itself is bad: xs.');
});

test('nothing of it is saved in checkpoints', async () => {
  let snapshot: Snapshot | undefined;
  const taker: Hook = {
    name: 'taker',
    saveState: () => 'mine',
    onTrainEnd: async (ctx) => {
      snapshot = await ctx.snapshot();
    },
  };
  await watchedRun([debug({ nan: 'warn' }), taker], { data: { xs: [[1], [Number.NaN]], ys: [[1], [1]] } });
  const { taker: mine, debug: its } = snapshot!.state!.hooks as Record<string, object>;
  expect(mine).toMatchObject({ state: 'mine' });
  expect(its).not.toHaveProperty('state');
});

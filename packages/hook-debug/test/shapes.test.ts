import type { Hook } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { debug } from '../src/index.js';
import { watchedRun } from './watched-run.js';

const data = { xs: [[1], [2], [3], [4], [5]], ys: [[1], [2], [3], [4], [5]] };

test('shapes and dtypes of the first batch are logged, and only of the first', async () => {
  const { said } = await watchedRun([debug({ shapes: true })], { data, batchSize: 2, epochs: 2 });
  expect(said.map(({ level, message }) => [level, message])).toEqual([
    ['info', 'Batch 1 of loader "train": xs float32 [2, 1], ys float32 [2, 1].'],
  ]);
});

test("with shapes: 'every' those of every batch that is checked", async () => {
  const { said } = await watchedRun([debug({ shapes: 'every', every: 2 })], { data, batchSize: 2 });
  expect(said.map(({ message }) => message)).toEqual([
    'Batch 1 of loader "train": xs float32 [2, 1], ys float32 [2, 1].',
    'Batch 3 of loader "train": xs float32 [1, 1], ys float32 [1, 1].',
  ]);
});

test('they are those that the model gets, and are there when a wrong shape ends the run', async () => {
  const widen: Hook = {
    name: 'widen',
    transformBatch: (_ctx, { batch }) => ({ ...batch, xs: tf.tile(batch.xs as tf.Tensor, [1, 3]) }),
  };
  const said: string[] = [];
  const logger = {
    debug: () => {},
    warn: () => {},
    error: () => {},
    info: (first: unknown, text?: string) => void said.push(String(text ?? first)),
    child: () => logger,
  };
  await expect(watchedRun([widen, debug({ shapes: true })], { data, logger })).rejects.toThrow();
  expect(said).toContain('Batch 1 of loader "train": xs float32 [1, 3], ys float32 [1, 1].');
});

test('a second fit logs them again', async () => {
  const hook = debug({ shapes: true });
  expect((await watchedRun([hook], { data })).said).toHaveLength(1);
  expect((await watchedRun([hook], { data, batchSize: 5 })).said.map(({ message }) => message)).toEqual([
    'Batch 1 of loader "train": xs float32 [5, 1], ys float32 [5, 1].',
  ]);
});

test('a batch that is skipped is not logged: the model does not get it', async () => {
  const skipper: Hook = {
    name: 'skipper',
    onTrainBatchStart: (ctx, { batchIndex }) => (batchIndex === 0 ? ctx.skipBatch() : undefined),
  };
  const { said } = await watchedRun([skipper, debug({ shapes: true })], { data, batchSize: 2 });
  expect(said.map(({ fields }) => fields.batch)).toEqual([1]);
});

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hook, TensorTree } from '@hookline/hook-api';
import { TEST_BACKEND, tempFolder } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { readBundle } from '../src/bundle/read-bundle.js';
import { debug } from '../src/index.js';
import { watchedRun } from './watched-run.js';

const GOOD = { xs: [[1], [2], [3]], ys: [[1], [2], [3]] };
const BAD_FOURTH = { xs: [...GOOD.xs, [Number.NaN]], ys: [...GOOD.ys, [4]] };

test('the bundle holds the weights of before the bad update, the batch, the random state and the finding', async () => {
  const clean = await watchedRun([], { data: GOOD, optimizer: 'adam' });
  const run = await watchedRun([debug()], {
    data: BAD_FOURTH,
    optimizer: 'adam',
    runsDir: tempFolder(),
  });
  const folder = join(run.result.runDir, 'debug', '3');
  expect(run.said[0]!.fields.bundle).toBe(folder);
  expect((await readdir(folder)).sort()).toEqual([
    'batch.safetensors',
    'bundle.json',
    'manifest.json',
    'model.safetensors',
    'optimizer.safetensors',
  ]);
  const { description, model, batch } = await readBundle(folder);
  const weights = Object.fromEntries([...model].map(([path, { data }]) => [path, [...data]]));
  expect(weights).toEqual(clean.weights);
  expect(batch.get('xs')).toEqual({ dtype: 'float32', shape: [1, 1], data: new Float32Array([Number.NaN]) });
  expect(batch.get('ys')!.data).toEqual(new Float32Array([4]));
  expect(description).toMatchObject({
    format: 'hookline-debug-bundle',
    version: 1,
    backend: TEST_BACKEND,
    run: { seed: 1 },
    finding: { step: 3, batchIndex: 3, loaderName: 'train', loss: 'NaN', layer: { path: 'first' } },
    batch: { xs: 'tensor', ys: 'tensor' },
    state: { seed: 1, random: [expect.any(Number), expect.anything(), expect.anything(), expect.anything()] },
  });
});

test('with warn it still holds the moving averages of before, while the run continues with its own', async () => {
  const averages: number[][] = [];
  const spoil: Hook = {
    name: 'reader',
    onTrainBatchEnd: ({ state }) => void averages.push([...state.parameters.mean!.dataSync()]),
  };
  const weight = tf.variable(tf.scalar(1));
  const mean = tf.variable(tf.scalar(0));
  const run = await watchedRun([spoil, debug({ nan: 'warn' })], {
    model: {
      parameters: () => ({ weight }),
      buffers: () => ({ mean }),
      forward: (xs: TensorTree) => {
        mean.assign(tf.tidy(() => tf.add(mean, tf.mean(xs as tf.Tensor))));
        return tf.mul(xs as tf.Tensor, weight);
      },
      loss: (outputs: TensorTree) => tf.mean<tf.Scalar>(outputs as tf.Tensor),
    },
    data: { xs: [[1], [2], [Number.NaN]] },
    runsDir: tempFolder(),
  });
  expect(averages).toEqual([[1], [3], [Number.NaN]]);
  const { model } = await readBundle(run.said[0]!.fields.bundle as string);
  expect([...model.get('mean')!.data]).toEqual([3]);
});

test('the first three are kept, the others are only reported', async () => {
  const xs = [1, 2, 3, 4, 5].flatMap((x) => [[Number.NaN], [x]]);
  const run = await watchedRun([debug({ nan: 'warn' })], {
    data: { xs, ys: xs.map(() => [0]) },
    nonFiniteLoss: 'skip',
    runsDir: tempFolder(),
  });
  expect(run.said.map(({ fields }) => fields.batch)).toEqual([0, 2, 4, 6, 8]);
  expect((await readdir(join(run.result.runDir, 'debug'))).sort()).toEqual(['0', '1', '2']);
});

test('items by name come back as they were, also whole numbers', async () => {
  const rename: Hook = {
    name: 'rename',
    transformBatch: (_ctx, { batch }) => ({
      xs: [tf.div(batch.xs as tf.Tensor, 0)],
      ys: { count: tf.tensor1d([3], 'int32'), 'a/b': tf.scalar(1) },
    }),
  };
  const weight = tf.variable(tf.scalar(1));
  const run = await watchedRun([rename, debug()], {
    model: {
      parameters: () => ({ weight }),
      forward: (xs: TensorTree) => tf.mul((xs as tf.Tensor[])[0]!, weight),
      loss: (outputs: TensorTree) => tf.mean<tf.Scalar>(outputs as tf.Tensor),
    },
    data: { xs: [[1]] },
    runsDir: tempFolder(),
  });
  expect(run.said[0]!.message).toContain('The batch already contains it: xs/0 (1 infinite of 1 value');
  const { description, batch } = await readBundle(join(run.result.runDir, 'debug', '0'));
  expect(description.batch).toEqual({ xs: { list: 1 }, ys: { record: ['count', 'a/b'] } });
  expect(batch.get('xs/0')!.data).toEqual(new Float32Array([Infinity]));
  expect(batch.get('ys/count')).toEqual({ dtype: 'int32', shape: [1], data: new Int32Array([3]) });
});

test('a run without a folder gets no bundle, and none is written when it is off', async () => {
  const without = await watchedRun([debug()], { data: BAD_FOURTH });
  expect(without.said[0]!.message).not.toContain('Replay');
  const off = await watchedRun([debug({ bundle: false })], { data: BAD_FOURTH, runsDir: tempFolder() });
  expect(existsSync(join(off.result.runDir, 'debug'))).toBe(false);
});

test('a bundle that cannot be written costs a warning, neither the finding nor the stop; nothing half is left', async () => {
  const blocker: Hook = {
    name: 'blocker',
    async onTrainStart({ run }) {
      await mkdir(join(run.dir!, 'debug', '3'), { recursive: true });
      await writeFile(join(run.dir!, 'debug', '3', 'mine'), 'somebody else was here');
    },
  };
  const run = await watchedRun([blocker, debug()], { data: BAD_FOURTH, runsDir: tempFolder() });
  expect(run.said.map(({ level, message }) => [level, message.slice(0, 32)])).toEqual([
    ['warn', 'The bundle of this step could no'],
    ['error', 'The loss is NaN at epoch 1, batc'],
  ]);
  expect(run.result.status).toBe('stopped');
  expect(await readdir(join(run.result.runDir, 'debug'))).toEqual(['3']);
  expect(await readFile(join(run.result.runDir, 'debug', '3', 'mine'), 'utf8')).toContain('somebody else');
});

test('in a fastDevRun it watches too, and leaves nothing behind', async () => {
  const runsDir = tempFolder();
  const { said, result } = await watchedRun([debug()], {
    data: { xs: [[Number.NaN]], ys: [[1]] },
    fastDevRun: true,
    runsDir,
  });
  expect(result.stopReason).toMatch(/^debug: the loss is NaN/);
  expect(said).toHaveLength(1);
  expect(await readdir(runsDir)).toEqual([]);
});

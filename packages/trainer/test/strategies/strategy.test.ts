import type { Gradients } from '@hookline/hook-api';
import {
  collectingLogger,
  errorOf,
  regression,
  regressor,
  tempFolder,
  weightsOf,
} from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { getTrainer, type Strategy } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const data = regression(8);
const QUIET = {
  loss: 'meanSquaredError',
  optimizer: { name: 'sgd', lr: 0.1 },
  backend: 'cpu',
  discover: false,
  runsDir: false,
  seed: 1,
} as const;
const FIT = { train: data, epochs: 2, batchSize: 4 };

test('getTrainer("simple") trains in this process, as new Trainer does', async () => {
  const [model, expected] = [regressor(), regressor()];
  await getTrainer('simple', { ...QUIET, model, logger: collectingLogger() }).fit(FIT);
  await quietTrainer({ ...QUIET, model: expected }).fit(FIT);
  expect(weightsOf(model)).toEqual(weightsOf(expected));
});

test('getTrainer("accelerate") without its package names the command that installs it', async () => {
  const root = tempFolder({ 'package.json': { name: 'project' } });
  const trainer = getTrainer('accelerate', {
    ...QUIET,
    model: regressor(),
    root,
    logger: collectingLogger(),
  });
  const error = await errorOf(trainer.fit(FIT));
  expect(error.code).toBe('STRATEGY_MISSING');
  expect(error.message).toContain('@hookline/accelerate-mpi, which is not installed');
});

test('getTrainer("accelerate") takes the strategy of the project and really uses what it combines', async () => {
  // A strategy that keeps a diary where the test can see it, and combines by halving in place of another process.
  const root = tempFolder({
    'package.json': { name: 'project' },
    'node_modules/@hookline/accelerate-mpi/package.json': {
      name: '@hookline/accelerate-mpi',
      version: '0.0.0',
      type: 'module',
      exports: './index.js',
    },
    'node_modules/@hookline/accelerate-mpi/index.js': `
      export const strategy = () => ({
        name: 'fake',
        setup() { globalThis.hooklineTest.diary.push('setup'); },
        combine(gradients) { return globalThis.hooklineTest.combine(gradients); },
        teardown() { globalThis.hooklineTest.diary.push('teardown'); },
      });`,
  });
  const diary: string[] = [];
  const combine = (gradients: Gradients) => {
    diary.push(`combine ${Object.keys(gradients).length}`);
    return Object.fromEntries(Object.entries(gradients).map(([path, each]) => [path, tf.mul(each, 0.5)]));
  };
  Object.assign(globalThis, { hooklineTest: { diary, combine } });
  try {
    const model = regressor();
    const trainer = getTrainer('accelerate', { ...QUIET, model, root, logger: collectingLogger() });
    await trainer.fit(FIT);
    expect(diary).toEqual(['setup', 'combine 4', 'combine 4', 'combine 4', 'combine 4', 'teardown']);
    const expected = regressor();
    await quietTrainer({ ...QUIET, model: expected, optimizer: { name: 'sgd', lr: 0.05 } }).fit(FIT);
    weightsOf(model)
      .flat()
      .forEach((weight, i) => {
        expect(weight).toBeCloseTo(weightsOf(expected).flat()[i]!, 6);
      });
  } finally {
    Reflect.deleteProperty(globalThis, 'hooklineTest');
  }
});

test('a strategy may be passed as it is; hooks and clipping see what it combined', async () => {
  const seen: number[] = [];
  const double: Strategy = {
    name: 'double',
    combine: async (gradients) => ({ 'out/bias': tf.mul(gradients['out/bias']!, 2) }),
  };
  const look = (strategy?: Strategy) =>
    quietTrainer({
      ...QUIET,
      model: regressor(),
      ...(strategy && { strategy }),
      hooks: [
        {
          name: 'look',
          transformGradients: (_ctx, { gradients }) => {
            seen.push(gradients['out/bias']!.dataSync()[0]!);
            return undefined;
          },
        },
      ],
    }).fit({ train: data, epochs: 1 });
  await look();
  await look(double);
  expect(seen[1]).toBeCloseTo(seen[0]! * 2, 6);
});

test('a strategy that fails ends the run with its error, leaks nothing, and is torn down', async () => {
  const failure = new Error('a process is gone');
  let torn = 0;
  const broken: Strategy = {
    name: 'broken',
    combine: () => Promise.reject(failure),
    teardown: () => {
      torn++;
      throw new Error('and cannot be cleaned up');
    },
  };
  const trainer = await quietTrainer({ ...QUIET, model: regressor(), strategy: broken }).ready();
  const before = tf.memory().numTensors;
  expect(await errorOf(trainer.fit(FIT))).toBe(failure);
  expect(tf.memory().numTensors).toBe(before);
  expect(torn).toBe(1);
});

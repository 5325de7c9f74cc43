import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { earlyStopping } from '@hookline/hook-early-stopping';
import { readPointer } from '@hookline/safetensors/node';
import {
  collectingLogger,
  errorOf,
  regression,
  TEST_BACKEND,
  tempFolder,
  weightsOf,
} from '@hookline/test-support';
import { Trainer, type TrainerOptions } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { checkpoint } from '../src/index.js';
import { dirOf, model, run } from './fixture.js';

/** Another task: the same hidden layer under two outputs. */
function otherHead(): tfl.Sequential {
  return tfl.sequential({
    layers: [
      tfl.layers.dense({ name: 'hidden', units: 6, inputShape: [3], activation: 'tanh' }),
      tfl.layers.dense({ name: 'head', units: 2 }),
    ],
  });
}

const { xs } = regression(20, 1);
const TASK = {
  train: { xs, ys: xs.map(([a, b]) => [100 * a! + 50, 100 * b! - 50]) },
  epochs: 2,
  batchSize: 4,
};

function trainerIn(
  root: string,
  { hooks = [], ...options }: Omit<Partial<TrainerOptions>, 'hooks'> & { hooks?: Hook[] } = {},
): Trainer {
  const own = [checkpoint({ async: false })];
  return new Trainer({
    model,
    loss: 'meanSquaredError',
    optimizer: { name: 'adam', lr: 0.02 },
    seed: 1,
    root,
    discover: false,
    backend: TEST_BACKEND,
    logger: collectingLogger(),
    ...options,
    hooks: [...hooks, ...own],
  });
}

async function weights(trainer: Trainer): Promise<number[][]> {
  return weightsOf((await trainer.model()) as tfl.Sequential);
}

describe('load() starts a new run from old weights', () => {
  test('with another head: what fits is loaded, the rest is listed, and the numbers are of the new task', async () => {
    const root = tempFolder();
    const old = await run(root, { fit: { epochs: 3 } });
    const stopping = earlyStopping({ monitor: 'train/loss', patience: 1, restoreBest: true });
    const trainer = trainerIn(root, { model: otherHead, hooks: [stopping] });
    const report = await trainer.load(join(dirOf(old), 'epoch_3_step_15'));
    expect(report).toEqual({
      checkpoint: join(dirOf(old), 'epoch_3_step_15'),
      loaded: ['hidden/kernel', 'hidden/bias'],
      notLoaded: [
        { path: 'head/kernel', why: 'missing' },
        { path: 'head/bias', why: 'missing' },
      ],
      unused: ['out/bias', 'out/kernel'],
    });
    expect((await weights(trainer)).slice(0, 2)).toEqual(old.weights.slice(0, 2));
    const result = await trainer.fit(TASK);
    expect(result).toMatchObject({ status: 'completed', steps: 10 });
    expect(result.history).toHaveLength(2);
    expect(result.best!.value).toBeGreaterThan(100);
    expect(result.metrics['train/loss']).toBe(result.history[1]!['train/loss']);
  });

  test('trains like a trainer whose model had these weights from the start', async () => {
    const root = tempFolder();
    const old = await run(root, { fit: { epochs: 1 } });
    const from = join(dirOf(old), 'epoch_1_step_5');
    const once = trainerIn(root);
    await once.load(from);
    const straight = await once.fit({ ...regressionFit(), epochs: 2 });
    const again = trainerIn(tempFolder());
    await again.fit({ ...regressionFit(), epochs: 3 }); // moments, random state and learning rates of another run
    await again.load(from);
    const second = await again.fit({ ...regressionFit(), epochs: 2 });
    expect(second.history).toEqual(straight.history);
    expect(await weights(again)).toEqual(await weights(once));
  });

  test('by path of the weights: the others keep their values', async () => {
    const root = tempFolder();
    const old = await run(root, { fit: { epochs: 1 } });
    const trainer = trainerIn(root);
    const before = await weights(trainer);
    const report = await trainer.load(dirOf(old), { weights: ['hidden/*'] });
    expect(report.loaded).toEqual(['hidden/kernel', 'hidden/bias']);
    expect(report.notLoaded.map(({ path, why }) => [path, why])).toEqual([
      ['out/kernel', 'filter'],
      ['out/bias', 'filter'],
    ]);
    expect(await weights(trainer)).toEqual([...old.weights.slice(0, 2), ...before.slice(2)]);
  });

  test('is an error that lists the reasons when nothing fits, or when no weight is meant', async () => {
    const root = tempFolder();
    const old = await run(root, { fit: { epochs: 1 } });
    const wider = () =>
      tfl.sequential({ layers: [tfl.layers.dense({ name: 'hidden', units: 9, inputShape: [3] })] });
    const error = await errorOf(trainerIn(root, { model: wider }).load(dirOf(old)));
    expect(error.code).toBe('CHECKPOINT_MISMATCH');
    expect(error.message).toContain('hidden/kernel: saved with the shape [3,6]');
    expect(error.message).toContain('out/kernel: not in the model');
    const none = await errorOf(trainerIn(root).load(dirOf(old), { weights: 'hiden/kernel' }));
    expect(none.message).toContain('Did you mean "hidden/kernel"');
    expect((await errorOf(trainerIn(root).load('nowhere'))).code).toBe('NO_CHECKPOINTS');
    expect((await errorOf(trainerIn(root).load('auto'))).code).toBe('BAD_OPTIONS');
  });

  test('names the package to install when no hook offers checkpoints', async () => {
    const trainer = new Trainer({
      model,
      loss: 'meanSquaredError',
      discover: false,
      runsDir: false,
      logger: collectingLogger(),
    });
    const error = await errorOf(trainer.load('best'));
    expect(error.message).toContain('npm install @hookline/hook-checkpoint');
  });

  test('leaves no folder behind, and the run that follows says what it started from', async () => {
    const root = tempFolder();
    const old = await run(root, { fit: { epochs: 1 } });
    const trainer = trainerIn(root);
    await trainer.load('last');
    const { runDir } = await trainer.fit({ ...regressionFit(), epochs: 1 });
    const { config } = JSON.parse(readFileSync(join(runDir, 'run.json'), 'utf8'));
    expect(config.loadedFrom).toBe(join(dirOf(old), 'epoch_1_step_5'));
    expect(readdirSync(join(root, 'runs'))).toHaveLength(2);
  });
});

describe('test, validate and predict with a checkpoint', () => {
  test('use its weights, and the model has its own ones again afterwards', async () => {
    const root = tempFolder();
    const {
      trainer,
      result,
      weights: own,
    } = await run(root, {
      fit: { epochs: 4 },
      // So that it is not the last.
      checkpoint: { monitor: 'val/loss', mode: 'max' },
    });
    const best = (await readPointer(join(dirOf({ result }), 'best.json'))) as string;
    expect(best).not.toContain('epoch_4');
    const data = regression(6, 2);
    const highest = Math.max(...result.history.map((metrics) => metrics['val/loss']!));
    const found = await trainer.validate({ data, batchSize: 4, checkpoint: 'best' });
    expect(found['val/loss']).toBe(highest);
    expect(await weights(trainer)).toEqual(own);
    const tested = await trainer.test({ data, batchSize: 4, checkpoint: join(dirOf({ result }), best) });
    expect(tested['test/loss']).toBe(highest);
    const outputs = (await trainer.predict({ data: { xs: data.xs }, checkpoint: 'last' })) as tf.Tensor;
    const plain = (await trainer.predict({ data: { xs: data.xs } })) as tf.Tensor;
    expect(outputs.dataSync()).toEqual(plain.dataSync());
    tf.dispose([outputs, plain]);
  });

  test('work in a new process, without a fit, and leak nothing', async () => {
    const root = tempFolder();
    const { result } = await run(root, { fit: { epochs: 3 } });
    const trainer = await trainerIn(root).ready();
    const data = regression(6, 2);
    await trainer.validate({ data, batchSize: 4, checkpoint: 'best' });
    const before = tf.memory().numTensors;
    expect((await trainer.validate({ data, batchSize: 4, checkpoint: 'best' }))['val/loss']).toBe(
      result.best!.value,
    );
    expect(tf.memory().numTensors).toBe(before);
  });

  test('give the weights back when a hook fails, and refuse weights of another model', async () => {
    const root = tempFolder();
    await run(root, { fit: { epochs: 2 } });
    const failing: Hook = {
      name: 'failing',
      onError: 'fail',
      onTestBatchEnd: () => {
        throw new Error('broken');
      },
    };
    const trainer = trainerIn(root, { hooks: [failing] });
    const own = await weights(trainer);
    const data = regression(6, 2);
    await expect(trainer.test({ data, checkpoint: 'last' })).rejects.toThrow('broken');
    expect(await weights(trainer)).toEqual(own);
    const error = await errorOf(
      trainerIn(root, { model: otherHead }).predict({ data: { xs }, checkpoint: 'last' }),
    );
    expect(error.code).toBe('CHECKPOINT_MISMATCH');
  });

  test('with averaged weights use the average, which is what was validated', async () => {
    const root = tempFolder();
    const { trainer, result } = await run(root, { trainer: { ema: { decay: 0.8 } } });
    const found = await trainer.validate({ data: regression(6, 2), batchSize: 4, checkpoint: 'best' });
    expect(found['val/loss']).toBe(result.best!.value);
  });
});

function regressionFit() {
  return { train: regression(20, 1), batchSize: 4 };
}

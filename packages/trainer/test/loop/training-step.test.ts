import type { Batch, Hook } from '@hookline/hook-api';
import { errorOf, recorder, regression, regressor, TEST_BACKEND, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, test } from 'vitest';
import { selectBackend } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

beforeAll(() => selectBackend({ backend: TEST_BACKEND, root: '.' }));

const data = regression(12);

function batches(): Batch[] {
  return [0, 4, 8].map((start) => ({
    xs: tf.tensor2d(data.xs.slice(start, start + 4)),
    ys: tf.tensor2d(data.ys.slice(start, start + 4)),
  }));
}

test('a loop of trainingStep trains what fit trains, and returns the numbers of each batch', async () => {
  const seen = recorder('recorder', ['onTrainBatchEnd']);
  const fitted = regressor();
  await quietTrainer({ model: fitted, hooks: [seen] }).fit({
    train: data,
    epochs: 1,
    batchSize: 4,
    shuffle: false,
  });

  const model = regressor();
  const trainer = quietTrainer({ model, metrics: ['meanAbsoluteError'] });
  const results = [];
  for (const batch of batches()) results.push(await trainer.trainingStep(batch));
  await trainer.close();
  expect(weightsOf(model)).toEqual(weightsOf(fitted));
  expect(results.map((result) => result!.loss)).toEqual(seen.events.map(({ payload }) => payload.loss));
  expect(Object.keys(results[0]!.metrics)).toEqual(['train/loss', 'train/meanAbsoluteError']);
});

test('hooks are set up with the first step and torn down by close', async () => {
  const seen = recorder('recorder', [
    'setup',
    'onInit',
    'onTrainStart',
    'onTrainBatchStart',
    'onTrainBatchEnd',
    'onTrainEnd',
    'teardown',
  ]);
  const trainer = quietTrainer({ model: regressor(), hooks: [seen] });
  for (const batch of batches()) await trainer.trainingStep(batch);
  expect(seen.names().slice(0, 3)).toEqual(['setup', 'onInit', 'onTrainStart']);
  expect(seen.of('onTrainBatchEnd').map(({ payload }) => payload.batchIndex)).toEqual([0, 1, 2]);
  expect(seen.names()).not.toContain('onTrainEnd');
  await trainer.close();
  expect(seen.names().slice(-2)).toEqual(['onTrainEnd', 'teardown']);
  expect(seen.of('onTrainEnd')[0]!.payload.status).toBe('completed');
  await trainer.close(); // once is enough, twice does nothing
  expect(seen.of('teardown')).toHaveLength(1);
});

test('the batch stays the caller’s, and no tensor is left', async () => {
  const trainer = quietTrainer({ model: regressor(), hooks: [recorder()] });
  const given = batches();
  await trainer.trainingStep(given[0]!);
  await trainer.close();
  const before = tf.memory().numTensors;
  for (const batch of given) await trainer.trainingStep(batch);
  await trainer.close();
  expect(tf.memory().numTensors).toBe(before);
  expect(given.some(({ xs }) => (xs as tf.Tensor).isDisposed)).toBe(false);
});

test('a skipped batch returns nothing', async () => {
  const skip: Hook = { name: 'skip', onTrainBatchStart: (ctx) => ctx.skipBatch() };
  const trainer = quietTrainer({ model: regressor(), hooks: [skip] });
  expect(await trainer.trainingStep(batches()[0]!)).toBeUndefined();
  await trainer.close();
});

test('close applies what is accumulated, as the end of an epoch does', async () => {
  const fitted = regressor();
  await quietTrainer({ model: fitted, accumulate: 2 }).fit({
    train: data,
    epochs: 1,
    batchSize: 4,
    shuffle: false,
  });
  const model = regressor();
  const trainer = quietTrainer({ model, accumulate: 2 });
  for (const batch of batches()) await trainer.trainingStep(batch);
  await trainer.close();
  expect(weightsOf(model)).toEqual(weightsOf(fitted));
});

test('a failure ends the loop: everyone hears of it, and the next step starts afresh', async () => {
  const seen = recorder('recorder', ['setup', 'onException', 'onTrainEnd', 'teardown']);
  const trainer = quietTrainer({ model: regressor(), hooks: [seen] });
  await trainer.trainingStep(batches()[0]!);
  const error = await errorOf(trainer.trainingStep({ xs: tf.ones([2, 9]), ys: tf.ones([2, 1]) }));
  expect(error.code).toBe('BAD_BATCH');
  expect(seen.names()).toEqual(['setup', 'onException', 'teardown']);
  await trainer.trainingStep(batches()[0]!);
  await trainer.close();
  expect(seen.names().slice(3)).toEqual(['setup', 'onTrainEnd', 'teardown']);
});

test('while the loop is open, test says so; fit closes it first', async () => {
  const seen = recorder('recorder', ['setup', 'teardown']);
  const trainer = quietTrainer({ model: regressor(), hooks: [seen] });
  await trainer.trainingStep(batches()[0]!);
  const error = await errorOf(trainer.test({ data }));
  expect(error.code).toBe('BUSY');
  expect(error.message).toContain('close()');
  await trainer.fit({ train: data, epochs: 1 });
  expect(seen.names()).toEqual(['setup', 'teardown', 'setup', 'teardown']);
  await trainer.test({ data });
});

test('a teardown that must not fail fails close', async () => {
  const failure = new Error('disk full');
  const strict: Hook = { name: 'strict', onError: 'fail', teardown: () => Promise.reject(failure) };
  const trainer = quietTrainer({ model: regressor(), hooks: [strict] });
  await trainer.trainingStep(batches()[0]!);
  expect(await errorOf(trainer.close())).toBe(failure);
  trainer.removeHook('strict');
  await trainer.fit({ train: data, epochs: 1 });
});

test('a loop of trainingStep sees that it was stopped, and why; going on is an error', async () => {
  const stop: Hook = {
    name: 'stop',
    onStepEnd: (ctx, { step }) => {
      if (step === 2) ctx.stop('good enough');
    },
  };
  const model = regressor();
  const trainer = quietTrainer({ model, hooks: [stop] });
  let steps = 0;
  for (const batch of [...batches(), ...batches()]) {
    await trainer.trainingStep(batch);
    steps++;
    if (trainer.stopReason !== undefined) break;
  }
  expect([steps, trainer.stopReason]).toEqual([2, 'good enough']);
  const weights = weightsOf(model);
  const error = await errorOf(trainer.trainingStep(batches()[0]!));
  expect(error.code).toBe('STOPPED');
  expect(error.message).toContain('good enough');
  expect(error.message).toContain('close()');
  expect(weightsOf(model)).toEqual(weights);
  await trainer.close();
  expect(trainer.stopReason).toBe('good enough');
  trainer.removeHook('stop');
  await trainer.fit({ train: data, epochs: 1 });
  expect(trainer.stopReason).toBeUndefined();
});

test('trainer.stop ends a fit after its batch, and does nothing outside of a run', async () => {
  const seen = recorder('recorder', ['onTrainBatchEnd']);
  const trainer = quietTrainer({ model: regressor(), hooks: [seen] });
  trainer.stop('too early');
  trainer.addHook({ name: 'asks', onTrainBatchStart: () => trainer.stop('from outside') });
  const result = await trainer.fit({ train: data, epochs: 3, batchSize: 4 });
  expect(result).toMatchObject({ status: 'stopped', stopReason: 'from outside' });
  expect(seen.events).toHaveLength(1);
});

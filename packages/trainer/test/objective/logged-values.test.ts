import type { TrainableModule } from '@hookline/hook-api';
import { errorOf, recorder, regression, TEST_BACKEND } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, test } from 'vitest';
import { lossWithInputs, selectBackend } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

beforeAll(() => selectBackend({ backend: TEST_BACKEND, root: '.' }));

type Rows = { xs: tf.Tensor2D; ys: tf.Tensor2D };
type Log = (values: Record<string, number | tf.Scalar>) => void;

/** A line whose loss has two parts. `alsoLog` logs more. */
function line(alsoLog: (log: Log) => void = () => {}): TrainableModule<Rows, tf.Tensor2D> {
  const slope = tf.variable(tf.tensor2d([0.1, 0.2, 0.3], [3, 1]));
  return {
    parameters: () => ({ slope }),
    forward: (xs) => tf.matMul(xs, slope as tf.Tensor2D),
    loss: (outputs, { ys }, { log }) => {
      const error = tf.mean<tf.Scalar>(tf.squaredDifference(outputs, ys));
      const penalty = tf.mul<tf.Scalar>(tf.sum(tf.square(slope)), 0.1);
      log({ error, 'parts/penalty': penalty });
      alsoLog(log);
      return tf.add(error, penalty);
    },
  };
}

const data = regression(10);

test('parts of a loss are metrics: of the batch, of the epoch and of validation', async () => {
  const seen = recorder('recorder', ['onTrainBatchEnd', 'onStepEnd', 'onEpochEnd']);
  const trainer = quietTrainer({ model: line(), hooks: [seen] });
  const { history } = await trainer.fit({ train: data, validation: data, epochs: 2, batchSize: 4 });
  const sum = (metrics: Record<string, number>, prefix: string) =>
    metrics[`${prefix}/error`]! + metrics[`${prefix}/parts/penalty`]!;
  for (const metrics of history) {
    expect(sum(metrics, 'train')).toBeCloseTo(metrics['train/loss']!, 5);
    expect(sum(metrics, 'val')).toBeCloseTo(metrics['val/loss']!, 5);
  }
  for (const { payload } of [...seen.of('onTrainBatchEnd'), ...seen.of('onStepEnd')]) {
    expect(sum(payload.metrics, 'train')).toBeCloseTo(payload.loss, 5);
  }
  const tested = await trainer.test({ data });
  expect(Object.keys(tested)).toEqual(['test/loss', 'test/error', 'test/parts/penalty']);
});

test('what only some batches log is the mean over those', async () => {
  let batches = 0;
  const model = line((log) => {
    batches++;
    if (batches % 2 === 1) log({ odd: batches });
  });
  const trainer = quietTrainer({ model });
  // 4, 4 and 2 samples: the first and the last of them log.
  const { history } = await trainer.fit({ train: data, epochs: 1, batchSize: 4, shuffle: false });
  expect(history[0]!['train/odd']).toBeCloseTo((1 * 4 + 3 * 2) / 6, 6);
});

test('a loss function of the trainer can see the inputs and log its parts', async () => {
  const xs = tf.tensor2d(data.xs);
  const ys = tf.tensor2d(data.ys);
  const loss = lossWithInputs((targets, outputs, { inputs, log }) => {
    const scale = tf.mean(tf.abs(inputs as tf.Tensor), 1, true);
    const losses = tf.mul(tf.squaredDifference(outputs, targets), scale);
    log({ scale: tf.mean<tf.Scalar>(scale) });
    return losses;
  });
  const { loss: _own, ...model } = line();
  const metrics = await quietTrainer({ model, loss }).validate({ data: [{ xs, ys }] });
  const expected = tf.tidy(() => {
    const outputs = tf.matMul(xs, tf.tensor2d([0.1, 0.2, 0.3], [3, 1]));
    const scale = tf.mean(tf.abs(xs), 1, true);
    const losses = tf.mul(tf.squaredDifference(outputs, ys), scale);
    return [tf.mean(losses).dataSync()[0]!, tf.mean(scale).dataSync()[0]!];
  });
  expect(metrics['val/loss']).toBeCloseTo(expected[0]!, 6);
  expect(metrics['val/scale']).toBeCloseTo(expected[1]!, 6);
  tf.dispose([xs, ys]);
});

test('a loss function whose third argument means something else does not get one', async () => {
  const { loss: _own, ...model } = line();
  const given: unknown[] = [];
  const spy = (...args: tf.Tensor[]) => {
    given.push(args.length);
    return tf.squaredDifference(args[0]!, args[1]!);
  };
  await quietTrainer({ model, loss: spy }).validate({ data });
  await quietTrainer({ model, loss: tf.losses.meanSquaredError }).validate({ data });
  expect(given).toEqual([2]);
});

test.each<[string, (log: Log) => void, string]>([
  ['the name of the loss', (log) => log({ loss: 1 }), 'name of the loss'],
  ['a prefix', (log) => log({ 'train/kl': 1 }), 'log "kl"'],
  ['a metric', (log) => log({ meanAbsoluteError: 1 }), 'name of a metric'],
  ['several numbers', (log) => log({ kl: tf.ones([2]) as never }), 'shape [2]'],
  ['text', (log) => log({ kl: 'big' as never }), 'given string for "kl"'],
])('%s cannot be logged, and no tensor stays behind', async (_what, alsoLog, message) => {
  const trainer = quietTrainer({ model: line(alsoLog), metrics: ['meanAbsoluteError'] });
  await trainer.ready();
  const before = tf.memory().numTensors;
  for (const run of [() => trainer.fit({ train: data, epochs: 1 }), () => trainer.validate({ data })]) {
    const error = await errorOf(run());
    expect(error).toMatchObject({ code: 'BAD_METRIC' });
    expect(error.message).toContain(message);
  }
  expect(tf.memory().numTensors).toBe(before);
});

test('logging leaves no tensors behind', async () => {
  const trainer = quietTrainer({ model: line(), accumulate: 2 });
  await trainer.fit({ train: data, validation: data, epochs: 1, batchSize: 4 });
  const before = tf.memory().numTensors;
  await trainer.fit({ train: data, validation: data, epochs: 2, batchSize: 4, sanityBatches: 1 });
  expect(tf.memory().numTensors).toBe(before);
});

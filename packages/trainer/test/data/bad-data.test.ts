import type { Batch, Hook, HooklineError } from '@hookline/hook-api';
import {
  classes,
  classifier,
  collectingLogger,
  errorOf,
  farBackend,
  regressor,
  TEST_BACKEND,
} from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Data, DataLoader, type LossName, selectBackend, type TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

beforeAll(() => selectBackend({ backend: TEST_BACKEND, root: '.' }));

const xs = [0, 1, 2, 3].map((i) => [i, 0, 0]);
const ys = [[0], [1], [2], [3]];
const batch = (): Batch => ({ xs: tf.ones([2, 3]), ys: tf.zeros([2, 1]) });

/** What fit says to the data; whatever it is, no tensor may stay. */
async function fitError(train: unknown, hooks: Hook[] = [], validation?: Data): Promise<HooklineError> {
  const trainer = quietTrainer({ model: regressor(), hooks, optimizer: 'sgd' }); // keeps no tensors itself
  await trainer.ready();
  const before = tf.memory().numTensors;
  const options = { train: train as Data, epochs: 2, ...(validation && { validation }) };
  const error = await errorOf(trainer.fit(options));
  expect(tf.memory().numTensors - before, 'tensors left behind').toBe(0);
  return error;
}

const hole = [...xs.slice(0, 3), [1, Number.NaN, 2]];

function expectError(error: HooklineError, code: string, ...parts: string[]): void {
  expect(error.code, error.message).toBe(code);
  for (const part of parts) expect(error.message).toContain(part);
}

const failing = (after: number) =>
  async function* () {
    for (let i = 0; i < after; i++) yield batch();
    throw new TypeError('the disk is gone');
  };

test('a source that throws while validating is named', async () => {
  const error = await fitError({ xs, ys }, [], failing(1));
  expectError(error, 'LOADER_FAILED', 'Loader "validation" failed at epoch 1, batch 2: the disk is gone');
  expect(error.cause).toBeInstanceOf(TypeError);
});

test('an error while closing is reported, unless there was one before', async () => {
  const bad = async function* () {
    try {
      for (;;) yield batch();
    } finally {
      // biome-ignore lint/correctness/noUnsafeFinally: what a bad source does.
      throw new Error('cannot close');
    }
  };
  const stop: Hook = { name: 'stop', onTrainBatchEnd: (ctx) => ctx.stop('enough') };
  expectError(await fitError(bad, [stop]), 'LOADER_FAILED', 'Loader "train"', 'cannot close');
  const fail: Hook = {
    name: 'fail',
    transformBatch: () => {
      throw new Error('first');
    },
  };
  expect((await fitError(bad, [fail])).message).toContain('first');
});

test('a training step that fails closes the source and disposes what was read ahead', async () => {
  const given: Batch[] = [];
  let closed = false;
  const source = async function* () {
    try {
      for (;;) {
        given.push(given.length === 2 ? { xs: tf.ones([2, 5]), ys: tf.zeros([2, 1]) } : batch());
        yield given.at(-1)!;
      }
    } finally {
      closed = true;
    }
  };
  expectError(await fitError(source), 'BAD_BATCH', 'Batch 3 of loader "train"');
  expect(closed).toBe(true);
  expect(given.length).toBeGreaterThan(3);
});

test('a source that never ends when it is closed does not hold up the run', async () => {
  const stuck = async function* () {
    yield batch();
    await new Promise(() => {});
  };
  const stop: Hook = { name: 'stop', onTrainBatchEnd: (ctx) => ctx.stop('enough') };
  const logger = collectingLogger();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let status: string | undefined;
  const fit = quietTrainer({ model: regressor(), hooks: [stop], logger }).fit({ train: stuck, epochs: 1 });
  fit.then((result) => {
    status = result.status;
  });
  for (let seconds = 0; status === undefined && seconds < 10_000; seconds++) {
    await new Promise(setImmediate);
    vi.advanceTimersByTime(1000);
  }
  expect(status).toBe('stopped');
  const said = logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  expect(said).toEqual([expect.stringContaining('Loader "train" did not end within 5 seconds')]);
});

test('training and validation data are checked for values that are not finite', async () => {
  expectError(await fitError({ xs: hole, ys }), 'BAD_DATA', 'loader "train"', 'sample 3, value 1');
  expectError(await fitError({ xs, ys }, [], { held: { xs: hole, ys } }), 'BAD_DATA', 'loader "held"');
});

test('but not where the loader or nonFiniteLoss says otherwise, nor in predict', async () => {
  const trainer = quietTrainer({ model: regressor() });
  const loader = new DataLoader({ xs: hole, ys }, { checkData: false });
  expect((await trainer.fit({ train: loader, epochs: 1 })).status).toBe('completed');
  const outputs = (await quietTrainer({ model: regressor() }).predict({ data: { xs: hole } })) as tf.Tensor;
  expect([...outputs.dataSync()].map(Number.isNaN)).toEqual([false, false, false, true]);
  const skipping = quietTrainer({ model: regressor(), nonFiniteLoss: 'skip' });
  expect((await skipping.fit({ train: { xs: hole, ys }, epochs: 1 })).status).toBe('completed');
});

test('values on a device are not read for the check, except for the labels of the first batch', async () => {
  const far = farBackend();
  const { xs: inputs, labels, oneHot } = classes(8);
  const readsOf = async (loss: LossName, ys: tf.Tensor) => {
    const trainer = quietTrainer({ model: classifier(), backend: far.name, loss });
    await trainer.ready();
    const before = far.reads;
    await trainer.fit({ train: { xs: tf.tensor2d(inputs), ys }, epochs: 3, batchSize: 2 });
    return far.reads - before;
  };
  await tf.setBackend(far.name);
  onTestFinished(() => tf.setBackend('cpu').then(() => {}));
  const unchecked = await readsOf('meanSquaredError', tf.tensor2d(oneHot));
  // One that is awaited, which counts twice.
  expect(await readsOf('sparseCategoricalCrossentropy', tf.tensor1d(labels))).toBe(unchecked + 2);
});

describe('labels that are not a class', () => {
  const { xs: inputs, labels } = classes(6);
  const sparse = { loss: 'sparseCategoricalCrossentropy' } as const;
  const withLabel = (label: number) => labels.map((each, index) => (index === 4 ? label : each));

  async function labelError(train: unknown, options: object = sparse): Promise<HooklineError> {
    const trainer = quietTrainer({ model: classifier(), optimizer: 'sgd', ...options } as TrainerOptions);
    await trainer.ready();
    const before = tf.memory().numTensors;
    const error = await errorOf(trainer.fit({ train: train as Data, epochs: 1, batchSize: 2 }));
    expect(tf.memory().numTensors - before, 'tensors left behind').toBe(0);
    return error;
  }

  test.each([3, -1, 1.5, Number.NaN])('%s of three classes, found before the first step', async (label) => {
    let steps = 0;
    const hooks: Hook[] = [{ name: 'count', onStepEnd: () => void steps++ }];
    const error = await labelError({ xs: inputs, ys: withLabel(label) }, { ...sparse, hooks });
    expectError(
      error,
      'BAD_DATA',
      'loader "train"',
      `ys has ${label} in sample 4`,
      'whole number from 0 to 2',
    );
    expect(error.message).toContain('Number the labels from 0');
    expect(steps).toBe(0);
  });

  test('in a stream of tensors, with the batch', async () => {
    const stream = function* () {
      for (const label of [2, 7]) yield { xs: tf.ones([2, 3]), ys: tf.tensor1d([0, label], 'int32') };
    };
    expectError(
      await labelError(stream),
      'BAD_DATA',
      'Batch 2 of loader "train"',
      'target 7 for output "out" in sample 1',
    );
  });

  test('after transformBatch, which may be the one that is wrong', async () => {
    const hooks: Hook[] = [
      { name: 'relabel', transformBatch: (_ctx, { batch }) => ({ ...batch, ys: tf.fill([2], 9, 'int32') }) },
    ];
    const error = await labelError({ xs: inputs, ys: labels }, { ...sparse, hooks });
    expectError(error, 'BAD_DATA', 'Batch 1 of loader "train"', 'target 9 for output "out" in sample 0');
  });

  test('of a module, whose classes show only in its outputs', async () => {
    const weight = tf.variable(tf.ones([3, 3]));
    const model = {
      parameters: () => ({ weight }),
      forward: (batch: unknown) => tf.softmax(tf.matMul(batch as tf.Tensor2D, weight as never)),
    };
    const error = await labelError({ xs: inputs, ys: withLabel(3) }, { ...sparse, model });
    expectError(error, 'BAD_DATA', 'target 3', 'whole number from 0 to 2');
  });

  test('with several outputs, those of the output with that name', async () => {
    const input = tfl.input({ shape: [3] });
    const outputs = ['kind', 'colour'].map((name, index) =>
      tfl.layers.dense({ units: 3 + index, name, activation: 'softmax' }).apply(input),
    );
    const model = tfl.model({ inputs: input, outputs: outputs as tfl.SymbolicTensor[] });
    const data = (kind: number, colour: number) => ({
      xs: inputs,
      ys: { colour: withLabel(colour), kind: withLabel(kind) },
    });
    expectError(await labelError(data(3, 3), { ...sparse, model }), 'BAD_DATA', 'ys/kind has 3', '0 to 2');
    expectError(await labelError(data(2, 4), { ...sparse, model }), 'BAD_DATA', 'ys/colour has 4', '0 to 3');
  });

  test('shares of classes are between 0 and 1', async () => {
    const loss = 'binaryCrossentropy';
    const error = await labelError({ xs, ys: [[0], [1], [2], [1]] }, { loss, model: regressor() });
    expectError(error, 'BAD_DATA', 'target 2 for output "out"', 'from 0 to 1', '"binaryCrossentropy"');
    const rows = labels.map(() => [0.5, 0.7, -0.2]);
    const dense = await labelError({ xs: inputs, ys: rows }, { loss: 'categoricalCrossentropy' });
    expectError(dense, 'BAD_DATA', 'target -0.2', 'one-hot rows');
  });

  test('one-hot rows of another width', async () => {
    const rows = labels.map(() => [0, 1, 0, 0]);
    const error = await labelError({ xs: inputs, ys: rows }, { loss: 'categoricalCrossentropy' });
    expectError(error, 'BAD_BATCH', '[2,4]', '[2,3]');
  });
});

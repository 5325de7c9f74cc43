import { EVENTS, type EventName, type Hook, type Snapshot } from '@hookline/hook-api';
import { errorOf, recorder, regression, regressor, TEST_BACKEND } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

/** What the forward pass of the regressor tells: its two layers, in order. */
const FORWARD: EventName[] = ['onForward', 'transformActivation', 'onForward', 'transformActivation'];
const BATCH: EventName[] = [
  'onTrainBatchStart',
  'transformBatch',
  'onTrainBatchReady',
  ...FORWARD,
  'transformLoss',
  'onBeforeBackward',
  'onAfterBackward',
];
/** Two optimizers. */
const STEP: EventName[] = [
  'transformGradients',
  'onGradientClip',
  'onGradientsReady',
  'onBeforeOptimizerStep',
  'onBeforeOptimizerStep',
  'onAfterOptimizerStep',
  'onAfterOptimizerStep',
  'onStepEnd',
];

/** Two epochs of three batches, two batches to a step, so that each epoch ends with half a step. */
async function record() {
  const seen = recorder();
  const trainer = quietTrainer({
    model: regressor(),
    metrics: ['meanAbsoluteError'],
    optimizer: [{ name: 'sgd', lr: 0.1, params: 'hidden/*' }, 'adam'],
    accumulate: 2,
    clip: { globalNorm: 0.5 },
    hooks: [seen],
  });
  const data = regression(10);
  const train = {
    first: { xs: data.xs.slice(0, 4), ys: data.ys.slice(0, 4) },
    second: { xs: data.xs.slice(4, 6), ys: data.ys.slice(4, 6) },
  };
  const validation = { xs: data.xs.slice(6), ys: data.ys.slice(6) };
  const result = await trainer.fit({ train, validation, epochs: 2, batchSize: 2 });
  return { trainer, seen, result, data };
}

test('fit tells every event in the order of the table', async () => {
  const { seen } = await record();
  const validationBatch: EventName[] = ['onValidationBatchStart', ...FORWARD, 'onValidationBatchEnd'];
  const epoch: EventName[] = [
    'onEpochStart',
    'onStepStart',
    ...BATCH,
    'onTrainBatchEnd',
    ...BATCH,
    ...STEP,
    'onTrainBatchEnd',
    'onStepStart',
    ...BATCH,
    'onTrainBatchEnd',
    ...STEP,
    'onValidationStart',
    ...validationBatch,
    ...validationBatch,
    'onValidationEnd',
    'onEpochEnd',
  ];
  expect(seen.names()).toEqual([
    'setup',
    'onInit',
    'onTrainStart',
    ...epoch,
    ...epoch,
    'onTrainEnd',
    'teardown',
  ]);
});

test('each event says where the run stands: epoch, step and batch', async () => {
  const { seen } = await record();
  const at = (event: EventName) =>
    seen.of(event).map(({ state: { epoch, step, batchIndex } }) => [epoch, step, batchIndex]);
  expect(at('onEpochStart')).toEqual([
    [0, 0, 0],
    [1, 2, 0],
  ]);
  expect(at('onStepStart')).toEqual([
    [0, 0, 0],
    [0, 1, 2],
    [1, 2, 0],
    [1, 3, 2],
  ]);
  expect(at('onTrainBatchStart')).toEqual([
    [0, 0, 0],
    [0, 0, 1],
    [0, 1, 2],
    [1, 2, 0],
    [1, 2, 1],
    [1, 3, 2],
  ]);
  // The step is counted when it is done.
  expect(at('onAfterOptimizerStep').map(([, step]) => step)).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
  expect(at('onStepEnd').map(([, step]) => step)).toEqual([1, 2, 3, 4]);
  expect(at('onValidationBatchStart')).toEqual([
    [0, 2, 0],
    [0, 2, 1],
    [1, 4, 0],
    [1, 4, 1],
  ]);
  // After validation the last training batch is the current one again.
  expect(at('onEpochEnd')).toEqual([
    [0, 2, 2],
    [1, 4, 2],
  ]);
  expect(at('onTrainEnd')).toEqual([[1, 4, 2]]);
  expect(seen.of('onValidationEnd').map(({ state }) => state.completedEpochs)).toEqual([0, 1]);
  expect(seen.of('onEpochEnd').map(({ state }) => state.completedEpochs)).toEqual([1, 2]);
  const statusAt = (event: EventName) => [...new Set(seen.of(event).map(({ state }) => state.status))];
  expect(statusAt('setup')).toEqual(['starting']);
  expect(statusAt('onTrainBatchEnd')).toEqual(['training']);
  expect(statusAt('onValidationBatchEnd')).toEqual(['validating']);
  expect(statusAt('onEpochEnd')).toEqual(['training']);
  expect(statusAt('onTrainEnd')).toEqual(['completed']);
});

test('events carry their numbers: epochs, steps, loaders, optimizers', async () => {
  const { seen, result } = await record();
  const payloads = (event: EventName) => seen.of(event).map(({ payload }) => payload);
  expect(payloads('setup')).toEqual([{ stage: 'fit' }]);
  expect(payloads('onInit')).toEqual([{ stage: 'fit' }]);
  expect(payloads('onTrainStart')).toEqual([{ epochs: 2, batchesPerEpoch: 3 }]);
  expect(payloads('onEpochStart')).toEqual([{ epoch: 0 }, { epoch: 1 }]);
  expect(payloads('onStepStart')).toEqual([{ step: 0 }, { step: 1 }, { step: 2 }, { step: 3 }]);
  expect(payloads('onStepEnd').map(({ step }) => step)).toEqual([1, 2, 3, 4]);
  for (const event of [
    'onTrainBatchStart',
    'transformBatch',
    'onBeforeBackward',
    'onTrainBatchEnd',
  ] as const) {
    const place = payloads(event).map((each) => [each.batchIndex, each.loaderIndex, each.loaderName]);
    const epoch = [
      [0, 0, 'first'],
      [1, 0, 'first'],
      [2, 1, 'second'],
    ];
    expect(place, event).toEqual([...epoch, ...epoch]);
  }
  expect(payloads('onValidationBatchStart')[1]).toMatchObject({
    batchIndex: 1,
    loaderIndex: 0,
    loaderName: 'validation',
  });
  const [clip] = payloads('onGradientClip');
  expect(clip).toMatchObject({ step: 0, mode: 'globalNorm', limit: 0.5 });
  for (const event of ['onBeforeOptimizerStep', 'onAfterOptimizerStep'] as const) {
    const [first, second] = payloads(event);
    expect([first.optimizerIndex, first.optimizer.name]).toEqual([0, 'sgd']);
    expect(Object.keys(first.gradients)).toEqual(['hidden/kernel', 'hidden/bias']);
    expect([second.optimizerIndex, second.optimizer.name]).toEqual([1, 'adam']);
    expect(Object.keys(second.gradients)).toEqual(['out/kernel', 'out/bias']);
  }
  expect(payloads('onAfterOptimizerStep').map(({ skipped }) => skipped)).toEqual(Array(8).fill(false));
  expect(payloads('teardown')).toEqual([{ stage: 'fit' }]);
  expect(payloads('onTrainEnd')[0]).toMatchObject({ status: 'completed', stopReason: undefined });
  expect(payloads('onTrainEnd')[0].metrics).toMatchObject(result.history[1]!);
});

test('metrics carry their prefix, and onEpochEnd has those of training and of validation', async () => {
  const { seen, result } = await record();
  const names = (event: EventName) => Object.keys(seen.of(event)[0]!.payload.metrics).sort();
  const train = ['train/loss', 'train/meanAbsoluteError'];
  const val = ['val/loss', 'val/meanAbsoluteError'];
  expect(names('onTrainBatchEnd')).toEqual(train);
  expect(names('onStepEnd')).toEqual(train);
  expect(names('onValidationBatchEnd')).toEqual(val);
  expect(names('onValidationEnd')).toEqual(val);
  expect(names('onEpochEnd')).toEqual([...train, ...val]);
  expect(seen.of('onEpochEnd').map(({ payload }) => payload.metrics)).toEqual(result.history);
  // A step's numbers are the mean over its batches, an epoch's the mean over its samples.
  const losses = seen.of('onTrainBatchEnd').map(({ payload }) => payload.loss);
  const [first, second] = seen.of('onStepEnd').map(({ payload }) => payload.loss);
  expect(first).toBeCloseTo((losses[0] + losses[1]) / 2, 6);
  expect(second).toBeCloseTo(losses[2], 6);
  expect(result.history[0]!['train/loss']).toBeCloseTo((losses[0] + losses[1] + losses[2]) / 3, 6);
  expect(seen.of('onTrainBatchEnd').every(({ payload }) => payload.skipped === false)).toBe(true);
});

test('onForward gets each layer by its path, with inputs and output', async () => {
  const shapes: unknown[] = [];
  const tap: Hook = {
    name: 'tap',
    onForward: (_ctx, { path, inputs, output, training, callIndex }) => {
      shapes.push([path, inputs.map(({ shape }) => shape), output.shape, training, callIndex]);
    },
  };
  const trainer = quietTrainer({ model: regressor(), hooks: [tap] });
  await trainer.fit({ train: regression(2), validation: regression(3), epochs: 1 });
  expect(shapes).toEqual([
    ['hidden', [[2, 3]], [2, 4], true, 0],
    ['out', [[2, 4]], [2, 1], true, 0],
    ['hidden', [[3, 3]], [3, 4], false, 0],
    ['out', [[3, 4]], [3, 1], false, 0],
  ]);
});

test('ctx.state shows the model, its parameters, the backend and how training goes', async () => {
  const model = regressor();
  const seen: unknown[] = [];
  const look: Hook = {
    name: 'look',
    onInit: ({ state }) => {
      const { backend, device, modelParams, latestLoss, avgLoss, elapsedSeconds } = state;
      seen.push(state.model === model, backend, device, modelParams, latestLoss, avgLoss, elapsedSeconds);
      seen.push(Object.entries(state.parameters).map(([path, { shape }]) => `${path} ${shape}`));
    },
    onTrainBatchEnd: ({ state }, { loss }) => {
      seen.push(state.latestLoss === loss, Number.isFinite(state.avgLoss), state.elapsedSeconds > 0);
    },
  };
  await quietTrainer({ model, hooks: [look] }).fit({ train: regression(2), epochs: 1 });
  expect(seen).toEqual([
    ...[true, TEST_BACKEND, 'cpu', 21, Number.NaN, Number.NaN, 0],
    ['hidden/kernel 3,4', 'hidden/bias 4', 'out/kernel 4,1', 'out/bias 1'],
    ...[true, true, true],
  ]);
});

test('each trainer computes on its own backend, also when another one ran in between', async () => {
  const used: string[] = [];
  const make = (backend: string) => {
    const look: Hook = {
      name: 'look',
      onTrainBatchEnd: ({ state }) => void used.push(state.backend, tf.getBackend()),
    };
    return quietTrainer({ model: regressor(), backend, hooks: [look] });
  };
  const [onCpu, onWasm] = [make('cpu'), make('wasm')];
  for (const trainer of [onCpu, onWasm, onCpu]) await trainer.fit({ train: regression(2), epochs: 1 });
  expect(used).toEqual(['cpu', 'cpu', 'wasm', 'wasm', 'cpu', 'cpu']);
});

test('test and predict tell their own events in order', async () => {
  const { trainer, seen, data } = await record();
  seen.events.length = 0;
  await trainer.test({ data: { xs: data.xs.slice(0, 4), ys: data.ys.slice(0, 4) }, batchSize: 2 });
  const testBatch: EventName[] = ['onTestBatchStart', ...FORWARD, 'onTestBatchEnd'];
  expect(seen.names()).toEqual([
    'setup',
    'onInit',
    'onTestStart',
    ...testBatch,
    ...testBatch,
    'onTestEnd',
    'teardown',
  ]);
  expect(seen.of('onTestStart')[0]).toMatchObject({
    payload: { stage: 'test' },
    state: { status: 'testing' },
  });
  expect(seen.of('onTestBatchEnd')[1]!.payload).toMatchObject({ batchIndex: 1, loaderName: 'test' });
  expect(Object.keys(seen.of('onTestBatchEnd')[1]!.payload.metrics)).toEqual([
    'test/loss',
    'test/meanAbsoluteError',
  ]);
  expect(Object.keys(seen.of('onTestEnd')[0]!.payload.metrics)).toEqual([
    'test/loss',
    'test/meanAbsoluteError',
  ]);

  seen.events.length = 0;
  const outputs = await trainer.predict({ data: { xs: data.xs.slice(0, 3) }, batchSize: 2 });
  const predictBatch: EventName[] = ['onPredictBatchStart', ...FORWARD, 'onPredictBatchEnd'];
  expect(seen.names()).toEqual([
    'setup',
    'onInit',
    'onPredictStart',
    ...predictBatch,
    ...predictBatch,
    'onPredictEnd',
    'teardown',
  ]);
  expect(seen.of('onPredictBatchEnd').map(({ payload }) => payload.outputs.shape)).toEqual([
    [2, 1],
    [1, 1],
  ]);
  expect((outputs as { shape: number[] }).shape).toEqual([3, 1]);
});

test('validate tells the validation events', async () => {
  const seen = recorder();
  const trainer = quietTrainer({ model: regressor(), hooks: [seen] });
  await trainer.validate({ data: regression(2) });
  expect(seen.names()).toEqual([
    'setup',
    'onInit',
    'onValidationStart',
    'onValidationBatchStart',
    ...FORWARD,
    'onValidationBatchEnd',
    'onValidationEnd',
    'teardown',
  ]);
});

test('every event of the table is fired somewhere', async () => {
  const seen = recorder();
  let saved: Snapshot | undefined;
  const checkpoints: Hook = {
    name: 'memory-checkpoints',
    setup: (ctx) =>
      ctx.provideCheckpoints({
        find: async () => saved && { path: 'memory' },
        load: async () => saved!,
        save: async (reason) => {
          saved = await ctx.snapshot({ checkpoint: { reason, path: 'memory' } });
          await ctx.checkpointSaved({ reason, path: 'memory' });
        },
      }),
    onEpochEnd: (ctx) => {
      ctx.log({ 'mine/value': 1 });
      ctx.requestCheckpoint('the epoch is over');
    },
  };
  const trainer = quietTrainer({ model: regressor(), clip: { norm: 1 }, hooks: [checkpoints, seen] });
  const data = regression(4);
  await trainer.fit({ train: data, validation: data, epochs: 1 });
  await trainer.fit({ train: data, epochs: 2, resume: 'auto' });
  await trainer.test({ data });
  await trainer.predict({ data });
  const failed = await errorOf(trainer.fit({ train: { xs: [[1]], ys: [[1]] }, epochs: 1 }));
  expect(failed.code).toBe('BAD_BATCH');
  const fired = new Set(seen.names());
  expect(Object.keys(EVENTS).filter((event) => !fired.has(event as EventName))).toEqual([]);
});

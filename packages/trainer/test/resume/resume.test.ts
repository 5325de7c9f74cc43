import type { Hook, HookContext, Snapshot } from '@hookline/hook-api';
import { collectingLogger, errorOf, recorder, regression, someOf, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import type { TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

/** Dropout, shuffling and adam: everything that must come back for the same bits. */
function model(): tfl.Sequential {
  return tfl.sequential({
    layers: [
      tfl.layers.dense({ name: 'hidden', units: 6, inputShape: [3], activation: 'tanh' }),
      tfl.layers.dropout({ rate: 0.3 }),
      tfl.layers.dense({ name: 'out', units: 1 }),
    ],
  });
}

/** Keeps checkpoints in memory, as a checkpoint hook keeps them in files. */
class Memory implements Hook {
  readonly name = 'memory';
  readonly saved = new Map<string, Snapshot>();

  setup(ctx: HookContext): void {
    ctx.provideCheckpoints({
      find: async (which) => {
        const path = which === 'auto' ? [...this.saved.keys()].at(-1) : which;
        return path !== undefined && this.saved.has(path) ? { path } : undefined;
      },
      load: async ({ path }) => this.saved.get(path)!,
      save: async (reason) => {
        // By value, through JSON where a file would be.
        const snapshot = await ctx.snapshot({ checkpoint: { reason, path: reason } });
        this.saved.set(reason, { ...snapshot, state: JSON.parse(JSON.stringify(snapshot.state)) });
      },
    });
  }
}

const WITHOUT_SEED = { seed: undefined } as object;

const FIT = { train: regression(20), validation: regression(6, 2), epochs: 4, batchSize: 4 }; // 5 batches

async function run(hooks: Hook[], fit: object = {}, options: Partial<TrainerOptions> = {}) {
  const trainer = quietTrainer({ model, optimizer: { name: 'adam', lr: 0.02 }, ...options, hooks });
  const result = await trainer.fit({ ...FIT, ...fit });
  return { result, weights: weightsOf((await trainer.model()) as tfl.Sequential) };
}

/** Asks for a checkpoint and stops, as on a signal. */
function leaveAt(
  event: 'onTrainBatchEnd' | 'onEpochEnd' | 'onEpochStart' | 'onTrainBatchStart' | 'onValidationBatchEnd',
  epoch: number,
  batch = 0,
): Hook {
  return {
    name: 'leave',
    [event]: (ctx: HookContext) => {
      if (ctx.state.epoch !== epoch || (event.includes('Batch') && ctx.state.batchIndex !== batch)) return;
      ctx.requestCheckpoint('leaving');
      ctx.stop('leaving');
    },
  };
}

describe('a run that is stopped and resumed gives the bits of one that never stopped', () => {
  const leaves: readonly (readonly [string, Hook])[] = [
    ['after an epoch', leaveAt('onEpochEnd', 1)],
    ['in the middle of an epoch', leaveAt('onTrainBatchEnd', 1, 2)],
    ['after the last batch of an epoch', leaveAt('onTrainBatchEnd', 1, 4)],
    ['after the first batch of all', leaveAt('onTrainBatchEnd', 0, 0)],
    ['before the first batch of an epoch', leaveAt('onEpochStart', 2)],
    ['in the start event of a batch', leaveAt('onTrainBatchStart', 1, 3)],
  ];
  test.each(someOf(leaves, 3))('%s', async (_when, leave) => {
    const whole = await run([]);
    const memory = new Memory();
    const first = await run([memory, leave]);
    expect(first.result.status).toBe('stopped');
    expect(first.weights).not.toEqual(whole.weights);
    // A trainer without a seed draws one: that of the checkpoint goes on.
    const second = await run([memory], { resume: 'auto' }, WITHOUT_SEED);
    expect(second.result.status).toBe('completed');
    expect(second.weights).toEqual(whole.weights);
  });

  test('from a checkpoint that was saved at the very end, with more epochs to go', async () => {
    const whole = await run([]);
    const memory = new Memory();
    await run([memory, { name: 'last', onTrainEnd: (ctx) => ctx.requestCheckpoint('end') }], { epochs: 2 });
    const { weights, result } = await run([memory], { resume: 'auto' });
    expect(weights).toEqual(whole.weights);
    expect(result.history).toHaveLength(2);
    expect(result.history).toEqual(whole.result.history.slice(2));
  });

  test.each([
    ['stopped in the middle of an accumulated step', leaveAt('onTrainBatchEnd', 1, 2), {}],
    ['stopped in the middle of a validation', leaveAt('onValidationBatchEnd', 1), {}],
    [
      'stopped after a step at which it is to validate',
      leaveAt('onTrainBatchEnd', 1, 1),
      { validateEvery: { steps: 5 } },
    ],
  ])('%s', async (_when, leave, fit) => {
    const options = { accumulate: 2, ema: { decay: 0.9 } };
    const data = { validation: regression(12, 2), ...fit };
    const whole = await run([], data, options);
    const memory = new Memory();
    const first = await run([memory, leave], data, options);
    expect(first.result.status).toBe('stopped');
    const second = await run([memory], { ...data, resume: 'auto' }, options);
    expect(second.weights).toEqual(whole.weights);
    expect(second.result.history).toEqual(whole.result.history.slice(1));
    expect(second.result.best).toEqual(whole.result.best);
  });

  test('stopped anywhere: hooks do not count the end of an epoch that was broken off', async () => {
    const counter = (): Hook & { seen: Record<string, number> } => ({
      name: 'counter',
      seen: { batches: 0, epochs: 0 },
      onTrainBatchEnd() {
        this.seen.batches!++;
      },
      onEpochEnd(ctx) {
        this.seen.epochs!++;
        ctx.log({ 'counter/epochs': this.seen.epochs! });
      },
      saveState() {
        return { ...this.seen };
      },
      loadState(state) {
        this.seen = { ...(state as Record<string, number>) };
      },
    });
    const memory = new Memory();
    const late: Hook = { name: 'late', onTrainEnd: (ctx) => ctx.requestCheckpoint('late') };
    const stop: Hook = {
      name: 'stop',
      onTrainBatchEnd: (ctx) => {
        if (ctx.state.epoch === 1 && ctx.state.batchIndex === 2) ctx.stop('enough');
      },
    };
    const stopped = counter();
    await run([stopped, memory, late, stop]);
    expect(stopped.seen).toEqual({ batches: 8, epochs: 2 });
    const resumed = counter();
    const { result } = await run([resumed, memory], { resume: 'late' });
    expect(resumed.seen).toEqual({ batches: 20, epochs: 4 });
    expect(result.metrics['counter/epochs']).toBe(4);
  });
});

test('a run that is stopped in the middle of a validation has none', async () => {
  const seen = recorder('recorder', ['onValidationStart', 'onValidationEnd', 'onEpochEnd', 'onTrainEnd']);
  const { result } = await run([leaveAt('onValidationBatchEnd', 1), seen], { validation: regression(12, 2) });
  expect(seen.names().slice(-3)).toEqual(['onValidationStart', 'onEpochEnd', 'onTrainEnd']);
  expect(seen.of('onValidationEnd')).toHaveLength(1);
  expect(result.history[1]).not.toHaveProperty('val/loss');
});

test('maxSteps at the end of an epoch ends it as any other; resumed there, nothing is left to do', async () => {
  const memory = new Memory();
  const end: Hook = { name: 'end', onTrainEnd: (ctx) => ctx.requestCheckpoint('end') };
  const first = await run([memory, end], { maxSteps: 10 });
  expect(first.result.history.map((metrics) => 'val/loss' in metrics)).toEqual([true, true]);
  const seen = recorder('recorder', ['onTrainBatchStart']);
  const again = await run([memory, seen], { maxSteps: 10, resume: 'auto' });
  expect(seen.events).toEqual([]);
  expect(again.result.stopReason).toBe('reached maxSteps (10)');
  expect(again.weights).toEqual(first.weights);
});

test('a run that is resumed with other metrics begins to add them up, and keeps the loss', async () => {
  const memory = new Memory();
  await run([memory, leaveAt('onTrainBatchEnd', 1, 2)], {}, { metrics: ['meanSquaredError'] });
  const whole = await run([]);
  const { result } = await run([memory], { resume: 'auto' }, { metrics: ['meanAbsoluteError'] });
  expect(result.history[0]!['train/loss']).toBe(whole.result.history[1]!['train/loss']);
  expect(result.history[0]!['train/meanAbsoluteError']).toBeGreaterThan(0);
  expect(result.history[0]).not.toHaveProperty('train/meanSquaredError');
});

test('states of hooks that are not here stay in later checkpoints, and the run says so once', async () => {
  const keeper = (): Hook & { loaded?: unknown } => ({
    name: 'keeper',
    saveState: () => ({ json: { best: -Infinity }, tensors: { trace: tf.tensor1d([1, 2]) } }),
    loadState(state) {
      this.loaded = state;
    },
  });
  const memory = new Memory();
  await run([keeper(), memory, leaveAt('onEpochEnd', 0)]);
  const logger = collectingLogger();
  await run([memory, leaveAt('onEpochEnd', 1)], { resume: 'auto' }, { logger });
  expect(logger.lines.filter(({ message }) => message.includes('hook keeper'))).toHaveLength(1);
  const back = keeper();
  await run([back, memory], { resume: 'auto' });
  const trace = { dtype: 'float32', shape: [2], data: Float32Array.of(1, 2) };
  expect(back.loaded).toEqual({ json: { best: -Infinity }, tensors: { trace } });
});

test('restore in the middle of a run puts weights and random state back; the loop stays at its place', async () => {
  let early: Snapshot | undefined;
  const rewind: Hook = {
    name: 'rewind',
    onError: 'fail',
    onTrainBatchEnd: async (ctx, { batchIndex }) => {
      if (ctx.state.epoch !== 1) return;
      if (batchIndex === 1) early = await ctx.snapshot();
      if (batchIndex === 3) await ctx.restore(early!);
    },
  };
  const seen = recorder('recorder', ['onTrainBatchStart', 'onEpochEnd']);
  const { result } = await run([rewind, seen]);
  expect(result.status).toBe('completed');
  const of = (epoch: number) => seen.of('onTrainBatchStart').filter(({ state }) => state.epoch === epoch);
  expect(of(1).map(({ state }) => [state.batchIndex, state.step])).toEqual([
    [0, 5],
    [1, 6],
    [2, 7],
    [3, 8],
    [4, 7],
  ]);
  expect(seen.of('onEpochEnd').map(({ state }) => state.completedEpochs)).toEqual([1, 2, 3, 4]);
});

test('a resumed run continues counting: epochs, steps, batches, best', async () => {
  const memory = new Memory();
  await run([memory, leaveAt('onTrainBatchEnd', 1, 2)]);
  const seen = recorder('recorder', [
    'onCheckpointLoad',
    'onInit',
    'onEpochStart',
    'onTrainBatchStart',
    'onEpochEnd',
  ]);
  const { result } = await run([memory, seen], { resume: 'auto' });
  expect(seen.names().slice(0, 4)).toEqual([
    'onCheckpointLoad',
    'onInit',
    'onEpochStart',
    'onTrainBatchStart',
  ]);
  expect(seen.of('onCheckpointLoad')[0]!.payload).toEqual({ reason: 'auto', path: 'leaving' });
  expect(seen.of('onTrainBatchStart')[0]!.state).toMatchObject({
    epoch: 1,
    step: 8,
    batchIndex: 3,
    completedEpochs: 1,
  });
  expect(seen.of('onEpochEnd').map(({ state }) => [state.epoch, state.completedEpochs, state.step])).toEqual([
    [1, 2, 10],
    [2, 3, 15],
    [3, 4, 20],
  ]);
  const losses = result.history.map((metrics) => metrics['val/loss']!);
  expect(result.best!.epoch).toBe(2 + losses.indexOf(Math.min(...losses)));
});

test('a resumed run that was complete has nothing to do, and says so', async () => {
  const memory = new Memory();
  await run([memory, { name: 'last', onTrainEnd: (ctx) => ctx.requestCheckpoint('end') }]);
  const seen = recorder('recorder', ['onTrainBatchStart']);
  const logger = collectingLogger();
  const { result } = await run([memory, seen], { resume: 'auto' }, { logger });
  expect(result).toMatchObject({ status: 'completed', steps: 0 });
  expect(seen.events).toEqual([]);
  const warnings = logger.lines.filter(({ message }) => message.includes('nothing left to train'));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]!.level).toBe('warn');
  expect(warnings[0]!.message).toContain('end has 4 of 4 epochs');
});

test('strictResume: false with another model takes over no numbers of the old one, and says so', async () => {
  const memory = new Memory();
  const keeper = (): Hook & { loaded?: unknown } => ({
    name: 'keeper',
    saveState: () => 7,
    loadState(state) {
      this.loaded = state;
    },
  });
  await run([memory, keeper(), leaveAt('onTrainBatchEnd', 1, 2)]);
  const otherHead = () =>
    tfl.sequential({
      layers: [
        tfl.layers.dense({ name: 'hidden', units: 6, inputShape: [3], activation: 'tanh' }),
        tfl.layers.dense({ name: 'head', units: 1, kernelInitializer: 'ones' }),
      ],
    });
  const hook = keeper();
  const logger = collectingLogger();
  const seen = recorder('recorder', ['onTrainBatchStart']);
  const { result } = await run(
    [memory, hook, seen],
    { resume: 'auto', strictResume: false, epochs: 2 },
    { model: otherHead, logger },
  );
  expect(hook.loaded).toBeUndefined();
  // The epoch that was under way starts over with the new head; steps are counted on.
  expect(seen.of('onTrainBatchStart')).toHaveLength(5);
  expect(seen.of('onTrainBatchStart')[0]!.state).toMatchObject({ epoch: 1, step: 8, batchIndex: 0 });
  expect(result.steps).toBe(5);
  expect(result.best).toEqual({ metric: 'val/loss', value: result.history[0]!['val/loss'], epoch: 2 });
  expect(logger.lines.some(({ message }) => message.includes('belongs to another model'))).toBe(true);

  const done = await run(
    [memory, keeper()],
    { resume: 'auto', strictResume: false, epochs: 1 },
    { model: otherHead, logger },
  );
  expect(done.result).toMatchObject({ steps: 0, best: undefined, metrics: {} });
});

test('hook states and filters come back', async () => {
  const memory = new Memory();
  const counter = (): Hook & { batches: number } => ({
    name: 'counter',
    batches: 0,
    onTrainBatchEnd() {
      this.batches++;
    },
    saveState() {
      return this.batches;
    },
    loadState(state) {
      this.batches = state as number;
    },
  });
  await run([counter(), memory, leaveAt('onEpochEnd', 1)]);
  const resumed = counter();
  await run([resumed, memory], { resume: 'auto' });
  expect(resumed.batches).toBe(20);
});

test('resume: "auto" without a checkpoint starts over and says so', async () => {
  const logger = collectingLogger();
  const { result } = await run([new Memory()], { resume: 'auto' }, { logger });
  expect(result.history).toHaveLength(4);
  expect(logger.lines.some(({ message }) => message.includes('no checkpoint to resume from yet'))).toBe(true);
});

test('a checkpoint that is asked for by name and not there is an error', async () => {
  const error = await errorOf(run([new Memory()], { resume: 'epoch-7' }));
  expect(error.code).toBe('NO_CHECKPOINTS');
  expect(error.message).toContain('"epoch-7"');
});

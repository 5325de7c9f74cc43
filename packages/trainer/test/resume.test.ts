import type { Hook, HookContext, Snapshot } from '@hookline/hook-api';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import type { TrainerOptions } from '../src/index.js';
import { collectingLogger } from './support/collecting-logger.js';
import { errorOf } from './support/error-of.js';
import { regression, weightsOf } from './support/models.js';
import { quietTrainer } from './support/quiet-trainer.js';
import { recorder } from './support/recorder.js';

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

const FIT = { train: regression(20), validation: regression(6, 2), epochs: 4, batchSize: 4 }; // 5 batches

async function run(hooks: Hook[], fit: object = {}, options: Partial<TrainerOptions> = {}) {
  const trainer = quietTrainer({ model, optimizer: { name: 'adam', lr: 0.02 }, ...options, hooks });
  const result = await trainer.fit({ ...FIT, ...fit });
  return { result, weights: weightsOf((await trainer.model()) as tfl.Sequential) };
}

/** Asks for a checkpoint and stops, as on a signal. */
function leaveAt(
  event: 'onTrainBatchEnd' | 'onEpochEnd' | 'onEpochStart' | 'onTrainBatchStart',
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
  test.each([
    ['after an epoch', leaveAt('onEpochEnd', 1)],
    ['in the middle of an epoch', leaveAt('onTrainBatchEnd', 1, 2)],
    ['after the last batch of an epoch', leaveAt('onTrainBatchEnd', 1, 4)],
    ['after the first batch of all', leaveAt('onTrainBatchEnd', 0, 0)],
    ['before the first batch of an epoch', leaveAt('onEpochStart', 2)],
    ['in the start event of a batch', leaveAt('onTrainBatchStart', 1, 3)],
  ])('%s', async (_when, leave) => {
    const whole = await run([]);
    const memory = new Memory();
    const first = await run([memory, leave]);
    expect(first.result.status).toBe('stopped');
    expect(first.weights).not.toEqual(whole.weights);
    // The seed of the trainer does not matter any more: the one of the checkpoint goes on.
    const second = await run([memory], { resume: 'auto' }, { seed: 999 });
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

  test('from a checkpoint within an accumulated step: its batches run again', async () => {
    const accumulate = { accumulate: 2, model: withoutDropout };
    const whole = await run([], {}, accumulate);
    const memory = new Memory();
    let taken = false;
    const take: Hook = {
      name: 'take',
      onTrainBatchEnd: async (ctx, { batchIndex }) => {
        if (taken || ctx.state.epoch !== 1 || batchIndex !== 2) return;
        taken = true;
        memory.saved.set('mid-step', await ctx.snapshot());
      },
    };
    await run([memory, take], {}, accumulate);
    expect((await run([memory], { resume: 'mid-step' }, accumulate)).weights).toEqual(whole.weights);
  });
});

test('a resumed run goes on counting: epochs, steps, batches, best', async () => {
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
  expect(result.best!.epoch).toBe(1 + losses.indexOf(Math.min(...losses)));
});

test('a resumed run that was complete has nothing to do', async () => {
  const memory = new Memory();
  await run([memory, { name: 'last', onTrainEnd: (ctx) => ctx.requestCheckpoint('end') }]);
  const seen = recorder('recorder', ['onTrainBatchStart']);
  const { result } = await run([memory, seen], { resume: 'auto' });
  expect(result.status).toBe('completed');
  expect(seen.events).toEqual([]);
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

test('resume: "auto" without a checkpoint starts anew and says so', async () => {
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

function withoutDropout(): tfl.Sequential {
  return tfl.sequential({
    layers: [
      tfl.layers.dense({ name: 'hidden', units: 6, inputShape: [3], activation: 'tanh' }),
      tfl.layers.dense({ name: 'out', units: 1 }),
    ],
  });
}

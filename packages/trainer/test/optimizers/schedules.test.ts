import type { Hook, HookContext, Snapshot } from '@hookline/hook-api';
import { errorOf, regression, regressor, someOf, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import type { FitOptions, ScheduleOption, TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const FIT = { train: regression(12), validation: regression(4, 2), epochs: 3, batchSize: 4 }; // 3 steps an epoch

/** Writes down the learning rate of the first group, times 1000, at an event. */
function watch(event: keyof Hook, rates: number[]): Hook {
  const note = ({ state }: HookContext) => {
    rates.push(Math.round(state.optimizers[0]!.groups[0]!.lr * 1e6) / 1e3);
  };
  return { name: `watch-${event}`, [event]: note } as Hook;
}

interface Watched {
  steps: number[];
  epochs: number[];
  weights: number[][];
}

async function train(
  schedule: ScheduleOption | undefined,
  { hooks = [], ...options }: Partial<TrainerOptions> = {},
  fit: Partial<FitOptions> = {},
): Promise<Watched> {
  const model = regressor();
  const [steps, epochs]: [number[], number[]] = [[], []];
  const trainer = quietTrainer({
    model,
    optimizer: { name: 'sgd', lr: 0.1 },
    ...(schedule && { schedule }),
    ...options,
    hooks: [...(hooks as Hook[]), watch('onBeforeOptimizerStep', steps), watch('onEpochStart', epochs)],
  });
  await trainer.fit({ ...FIT, ...fit });
  return { steps, epochs, weights: weightsOf(model) };
}

test('a schedule by step sets the learning rate of every step', async () => {
  const { steps } = await train({ name: 'polynomial', steps: 9 });
  expect(steps).toEqual([100, 88.889, 77.778, 66.667, 55.556, 44.444, 33.333, 22.222, 11.111]);
});

test('a schedule by epoch sets it before the epoch starts', async () => {
  const { steps, epochs } = await train({ name: 'exponential', gamma: 0.5, by: 'epoch' });
  expect(epochs).toEqual([100, 50, 25]);
  expect(steps).toEqual([100, 100, 100, 50, 50, 50, 25, 25, 25]);
});

test('every event of a step sees the rate of that step', async () => {
  const rates: Record<string, number[]> = { onStepStart: [], onTrainBatchStart: [], onStepEnd: [] };
  const hooks = Object.keys(rates).map((event) => watch(event as keyof Hook, rates[event]!));
  const { steps } = await train({ name: 'exponential', gamma: 0.9 }, { hooks });
  for (const seen of Object.values(rates)) expect(seen).toEqual(steps);
});

test('the first rate is there before training starts', async () => {
  const rates: number[] = [];
  await train({ name: 'warmup', steps: 5, from: 0.1 }, { hooks: [watch('onTrainStart', rates)] });
  expect(rates).toEqual([10]);
});

test('steps are optimizer steps, not batches', async () => {
  const { steps } = await train({ name: 'exponential', gamma: 0.5 }, { accumulate: 3 });
  expect(steps).toEqual([100, 50, 25]);
});

test('the weights move by the scheduled rate, times what hooks scale it by', async () => {
  const expected = await train(undefined, { optimizer: { name: 'sgd', lr: 0.02 } });
  const scheduled = await train({ name: 'constant', factor: 0.2 }, { optimizer: { name: 'sgd', lr: 0.1 } });
  expect(scheduled.weights).toEqual(expected.weights);
  const scale: Hook = {
    name: 'scale',
    onTrainStart: ({ state }) => {
      state.optimizers[0]!.groups[0]!.lrScale = 0.5;
    },
  };
  const both = await train({ name: 'constant', factor: 0.4 }, { hooks: [scale] });
  expect(both.weights).toEqual(expected.weights);
});

test('an optimizer of tfjs follows the schedule', async () => {
  const expected = await train(undefined, { optimizer: tf.train.sgd(0.02) });
  const scheduled = await train({ name: 'constant', factor: 0.25 }, { optimizer: tf.train.sgd(0.08) });
  expect(scheduled.weights).toEqual(expected.weights);
});

test('the next fit starts the schedule over', async () => {
  const trainer = quietTrainer({
    model: regressor(),
    optimizer: { name: 'sgd', lr: 0.1 },
    schedule: { name: 'exponential', gamma: 0.5 },
  });
  const rates: number[] = [];
  trainer.addHook(watch('onBeforeOptimizerStep', rates));
  await trainer.fit({ ...FIT, epochs: 1 });
  await trainer.fit({ ...FIT, epochs: 1 });
  expect(rates).toEqual([100, 50, 25, 100, 50, 25]);
});

test('your own loop follows the schedule, too', async () => {
  const rates: number[] = [];
  const trainer = quietTrainer({
    model: regressor(),
    optimizer: { name: 'sgd', lr: 0.1 },
    schedule: { name: 'exponential', gamma: 0.5 },
    hooks: [watch('onBeforeOptimizerStep', rates)],
  });
  await trainer.ready();
  const batch = { xs: tf.tensor2d(FIT.train.xs), ys: tf.tensor2d(FIT.train.ys) };
  for (let step = 0; step < 3; step++) await trainer.trainingStep(batch);
  await trainer.close();
  tf.dispose([batch.xs, batch.ys]);
  expect(rates).toEqual([100, 50, 25]);
});

describe('reduce on plateau', () => {
  test('cuts after validations that did not improve', async () => {
    // Skipped steps never improve anything.
    const { epochs } = await train(
      { name: 'plateau', patience: 1, factor: 0.5 },
      { hooks: [frozenWeights] },
      { epochs: 6 },
    );
    expect(epochs).toEqual([100, 100, 100, 50, 50, 25]);
  });

  test('can watch a metric of training, without validation', async () => {
    const { validation: _, ...fit } = FIT;
    const rates: number[] = [];
    await quietTrainer({
      model: regressor(),
      optimizer: { name: 'sgd', lr: 0.1 },
      schedule: { name: 'plateau', monitor: 'train/loss', patience: 0 },
      hooks: [frozenWeights, watch('onEpochEnd', rates), watch('onEpochStart', rates)],
    }).fit({ ...fit, epochs: 3, shuffle: false });
    expect(rates).toEqual([100, 100, 100, 100, 10, 10]);
  });

  test('refuses to start without validation when it watches it', async () => {
    const { validation: _, ...fit } = FIT;
    const trainer = quietTrainer({ model: regressor(), schedule: { name: 'plateau' } });
    const error = await errorOf(trainer.fit(fit));
    expect(error.code).toBe('BAD_SCHEDULE');
    for (const part of ['"val/loss"', 'no validation data', 'train/loss'])
      expect(error.message).toContain(part);
  });

  test('ends the run when the metric does not exist, and names those that do', async () => {
    const error = await errorOf(
      train({ name: 'plateau', monitor: 'val/acuracy' }, { metrics: ['meanAbsoluteError'] }),
    );
    expect(error.code).toBe('BAD_SCHEDULE');
    for (const part of ['"val/acuracy"', 'val/loss', 'val/meanAbsoluteError'])
      expect(error.message).toContain(part);
  });
});

test('a wrong schedule is reported before the model is built', async () => {
  let built = false;
  const model = () => {
    built = true;
    return regressor();
  };
  const error = await errorOf(train({ name: 'nothing' } as never, { model }));
  expect(error.code).toBe('BAD_SCHEDULE');
  expect(built).toBe(false);
});

describe('a run that is stopped and resumed has the rates of one that never stopped', () => {
  const schedules: [string, ScheduleOption][] = [
    ['by step', { name: 'one-cycle', steps: 15 }],
    ['by epoch', { name: 'cosine', epochs: 5 }],
    ['on a plateau', { name: 'plateau', patience: 0, threshold: 0.9, factor: 0.5 }],
    [
      'one after the other, mixed',
      [
        { name: 'warmup', steps: 4, from: 0.1 },
        { name: 'step', epochs: 1, every: 1 },
        { name: 'plateau', patience: 0, threshold: 0.9, factor: 0.5 },
      ],
    ],
  ];
  test.each(someOf(schedules, 2))('%s', async (_name, schedule) => {
    const fit = { epochs: 5 };
    const whole = await train(schedule, {}, fit);
    expect(whole.steps.at(-1)).not.toBe(whole.steps.at(-4)); // it still changes in the last epoch
    for (const [epoch, batch] of [
      [1, 1],
      [2, 2],
      [4, 0],
    ]) {
      const memory = new Memory();
      const leave: Hook = {
        name: 'leave',
        onTrainBatchEnd: (ctx, { batchIndex }) => {
          if (ctx.state.epoch !== epoch || batchIndex !== batch) return;
          ctx.requestCheckpoint('leaving');
          ctx.stop('leaving');
        },
      };
      const first = await train(schedule, { hooks: [memory, leave] }, fit);
      const second = await train(schedule, { hooks: [memory] }, { ...fit, resume: 'auto' });
      expect([...first.steps, ...second.steps]).toEqual(whole.steps);
      expect(second.weights).toEqual(whole.weights);
    }
  });
});

test('a snapshot holds the schedule as JSON', async () => {
  let snapshot: Snapshot | undefined;
  const take: Hook = {
    name: 'take',
    onTrainEnd: async (ctx) => {
      snapshot = await ctx.snapshot();
    },
  };
  await train([{ name: 'warmup', steps: 2 }, { name: 'plateau' }], { hooks: [take] });
  expect(snapshot!.state!.schedules).toMatchObject({
    index: 1,
    since: { step: 2, epoch: 0 },
    base: [{ sgd: 0.1 }],
    plateau: { factor: 1 },
  });
  expect(JSON.parse(JSON.stringify(snapshot!.state))).toEqual(snapshot!.state);
});

/** Nothing learns, so that no metric improves. */
const frozenWeights: Hook = {
  name: 'frozen-weights',
  onBeforeOptimizerStep: (ctx) => ctx.skipStep(),
};

/** Keeps checkpoints in memory, by value, through JSON where a file would be. */
class Memory implements Hook {
  readonly name = 'memory';
  #saved: Snapshot | undefined;

  setup(ctx: HookContext): void {
    ctx.provideCheckpoints({
      find: async () => ({ path: 'memory' }),
      load: async () => this.#saved!,
      save: async () => {
        const snapshot = await ctx.snapshot();
        this.#saved = { ...snapshot, state: JSON.parse(JSON.stringify(snapshot.state)) };
      },
    });
  }
}

test('a schedule can be a function from the step to a factor, alone or at the end of a list', async () => {
  const half = (step: number) => 0.5 ** step;
  expect((await train(half, {}, { epochs: 1 })).steps).toEqual([100, 50, 25]);
  const warmed = await train([{ name: 'constant', factor: 2, steps: 1 }, half], {}, { epochs: 1 });
  expect(warmed.steps).toEqual([200, 100, 50]);
});

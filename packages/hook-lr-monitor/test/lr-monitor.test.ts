import type { Hook, Metrics, Snapshot } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { lrMonitor } from '../src/index.js';
import { type RecordedRun, recordedRun } from './recorded-run.js';

const valuesByStep = ({ logs }: RecordedRun): [number, Metrics][] =>
  logs.map(({ step, values }) => [step, values]);

test('by default a constant rate is logged at the first step and every 100 steps', async () => {
  const run = recordedRun([lrMonitor()]);
  await run.fit({ steps: 250 });
  expect(valuesByStep(run)).toEqual([
    [1, { 'lr/sgd': 0.5 }],
    [100, { 'lr/sgd': 0.5 }],
    [200, { 'lr/sgd': 0.5 }],
  ]);
  expect(run.logs.every(({ scope }) => scope === 'step')).toBe(true);
});

test('a rate that changes is logged at every step, as the step used it', async () => {
  // Hooks of users run before the monitor: one sets the rate ahead of the step, one behind it, for the next.
  const ahead: Hook = {
    name: 'ahead',
    onBeforeOptimizerStep(_ctx, { step, optimizer }) {
      optimizer.groups[0]!.lr = 2 ** -step;
    },
  };
  const behind: Hook = {
    name: 'behind',
    onAfterOptimizerStep(_ctx, { step, optimizer }) {
      optimizer.groups[0]!.lrScale = step % 2 === 0 ? 0.5 : 2;
    },
  };
  const run = recordedRun([lrMonitor(), ahead, behind]);
  await run.fit({ steps: 8 });
  expect(run.logs.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(run.logs.map(({ values }) => values['lr/sgd'])).toEqual(run.moved['a/w']);
  expect(new Set(run.moved['a/w']).size).toBeGreaterThan(4);
});

test('the scale gets its own series the first time it is not 1', async () => {
  const scales = [1, 1, 0.25, 0.25, 1];
  const scaler: Hook = {
    name: 'scaler',
    onStepStart({ state }, { step }) {
      state.optimizers[0]!.groups[0]!.lrScale = scales[step]!;
    },
  };
  const run = recordedRun([scaler, lrMonitor()]);
  await run.fit({ steps: 5 });
  expect(valuesByStep(run)).toEqual([
    [1, { 'lr/sgd': 0.5 }],
    [3, { 'lr/sgd': 0.125, 'lr-scale/sgd': 0.25 }],
    [5, { 'lr/sgd': 0.5, 'lr-scale/sgd': 1 }],
  ]);
});

test('momentum and weight decay are logged where the group has them, and can be switched off', async () => {
  const optimizer = { name: 'sgd', lr: 0.5, momentum: 0.9, weightDecay: 0.01 } as const;
  const logged = async (...options: Parameters<typeof lrMonitor>) => {
    const run = recordedRun([lrMonitor(...options)], { optimizer });
    await run.fit({ steps: 1 });
    return run.logs[0]!.values;
  };
  expect(await logged()).toEqual({ 'lr/sgd': 0.5, 'momentum/sgd': 0.9, 'weight-decay/sgd': 0.01 });
  expect(await logged({ momentum: false })).toEqual({ 'lr/sgd': 0.5, 'weight-decay/sgd': 0.01 });
  expect(await logged({ weightDecay: false })).toEqual({ 'lr/sgd': 0.5, 'momentum/sgd': 0.9 });
});

test('two optimizers with the same name have a series each, with their own rates', async () => {
  const run = recordedRun([lrMonitor()], {
    optimizer: [
      { name: 'sgd', lr: 0.5, params: 'a/w' },
      { name: 'sgd', lr: 0.25 },
    ],
  });
  await run.fit({ steps: 2 });
  expect(valuesByStep(run)).toEqual([[1, { 'lr/sgd': 0.5, 'lr/sgd-1': 0.25 }]]);
  expect(run.moved).toEqual({ 'a/w': [0.5, 0.5], 'b/w': [0.25, 0.25] });
});

test('an optimizer with several groups has a series for each, and a rate for each', async () => {
  const run = recordedRun([lrMonitor()], {
    optimizer: {
      name: 'sgd',
      lr: 0.5,
      groups: [
        { name: 'encoder', params: 'a/w', lr: 0.125 },
        { name: 'head', params: 'b/w' },
      ],
    },
  });
  await run.fit({ steps: 1 });
  expect(run.logs[0]!.values).toEqual({ 'lr/sgd/encoder': 0.125, 'lr/sgd/head': 0.5 });
  expect(run.moved).toEqual({ 'a/w': [0.125], 'b/w': [0.5] });
});

test('only the optimizer whose values changed is logged again', async () => {
  const decay: Hook = {
    name: 'decay',
    onStepStart({ state }, { step }) {
      if (step === 1) state.optimizers[1]!.groups[0]!.lr = 0.125;
    },
  };
  const run = recordedRun([decay, lrMonitor()], {
    optimizer: [{ name: 'sgd', lr: 0.5, params: 'a/w' }, 'adam'],
  });
  await run.fit({ steps: 3 });
  expect(valuesByStep(run)).toEqual([
    [1, { 'lr/sgd': 0.5, 'lr/adam': 0.001 }],
    [2, { 'lr/adam': 0.125 }],
  ]);
});

test('an optimizer of tfjs is logged under its name', async () => {
  const run = recordedRun([lrMonitor()], { optimizer: tf.train.rmsprop(0.02) });
  await run.fit({ steps: 1 });
  expect(run.logs[0]!.values).toEqual({ 'lr/rmsprop': 0.02 });
});

test('by epoch there is one log per epoch, with the rates of its last step', async () => {
  // Plateau schedules act on the validation: what they set is for the next epoch.
  const plateau: Hook = {
    name: 'plateau',
    onValidationEnd({ state }) {
      state.optimizers[0]!.groups[0]!.lrScale /= 2;
    },
  };
  const run = recordedRun([plateau, lrMonitor({ frequency: 'epoch' })]);
  await run.fit({ steps: 3, epochs: 3, validation: true });
  expect(run.logs).toEqual([
    { scope: 'epoch', step: 3, epoch: 0, values: { 'lr/sgd': 0.5 } },
    { scope: 'epoch', step: 6, epoch: 1, values: { 'lr/sgd': 0.25, 'lr-scale/sgd': 0.5 } },
    { scope: 'epoch', step: 9, epoch: 2, values: { 'lr/sgd': 0.125, 'lr-scale/sgd': 0.25 } },
  ]);
});

test('an epoch without a step logs nothing', async () => {
  const skipper: Hook = { name: 'skipper', onTrainBatchStart: (ctx) => ctx.skipBatch() };
  const run = recordedRun([skipper, lrMonitor({ frequency: 'epoch' })]);
  await run.fit({ steps: 2 });
  expect(run.logs).toEqual([]);
});

test('every fit starts over, and validation alone logs nothing', async () => {
  const run = recordedRun([lrMonitor()]);
  await run.fit({ steps: 2 });
  await run.fit({ steps: 2 });
  expect(valuesByStep(run)).toEqual([
    [1, { 'lr/sgd': 0.5 }],
    [1, { 'lr/sgd': 0.5 }],
  ]);
  await run.trainer.validate({ data: { xs: tf.zeros([2, 1]) } });
  expect(run.logs).toHaveLength(2);
});

test('two of them in one run log at their own pace, and neither changes what the other logs', async () => {
  const named = (name: string, hook: Hook): Hook => ({ ...hook, name });
  const epochs = ({ logs }: RecordedRun) => logs.filter(({ scope }) => scope === 'epoch');
  const steps = ({ logs }: RecordedRun) => logs.filter(({ scope }) => scope === 'step');
  const both = recordedRun([
    named('by-step', lrMonitor()),
    named('by-epoch', lrMonitor({ frequency: 'epoch' })),
  ]);
  const byStep = recordedRun([lrMonitor()]);
  const byEpoch = recordedRun([lrMonitor({ frequency: 'epoch' })]);
  for (const run of [both, byStep, byEpoch]) await run.fit({ steps: 60, epochs: 2 });
  expect(steps(both)).toEqual(byStep.logs);
  expect(epochs(both)).toEqual(byEpoch.logs);
});

test('a resumed run logs the rates at its first step', async () => {
  let saved: Snapshot | undefined;
  const saver: Hook = {
    name: 'saver',
    onEpochEnd: async (ctx) => {
      saved ??= await ctx.snapshot();
    },
  };
  const whole = recordedRun([saver, lrMonitor()]);
  await whole.fit({ steps: 3, epochs: 2 });
  const loader: Hook = {
    name: 'loader',
    setup: (ctx) =>
      ctx.provideCheckpoints({
        find: async () => ({ path: 'memory' }),
        load: async () => saved!,
        save: async () => {},
      }),
  };
  const resumed = recordedRun([loader, lrMonitor()]);
  await resumed.fit({ steps: 3, epochs: 2, resume: 'auto' });
  expect(valuesByStep(whole)).toEqual([[1, { 'lr/sgd': 0.5 }]]);
  expect(valuesByStep(resumed)).toEqual([[4, { 'lr/sgd': 0.5 }]]);
});

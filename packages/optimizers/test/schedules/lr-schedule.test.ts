import type { OptimizerView } from '@hookline/hook-api';
import { errorOf } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import type { ScheduleOption } from '../../src/schedules/create-schedule.js';
import { createSchedule } from '../../src/schedules/create-schedule.js';
import { LrSchedule } from '../../src/schedules/lr-schedule.js';

function optimizers(): OptimizerView[] {
  return [
    {
      name: 'adam',
      groups: [
        { name: 'bias', lr: 0.2, lrScale: 1 },
        { name: 'default', lr: 0.1, lrScale: 1 },
      ],
    },
    { name: 'sgd', groups: [{ name: 'sgd', lr: 1, lrScale: 0.5 }] },
  ];
}

function scheduleOf(option: ScheduleOption, views = optimizers()) {
  const schedule = new LrSchedule(createSchedule(option), views);
  const factor = () => views[1]!.groups[0]!.lr; // its own rate is 1
  return { schedule, views, factor };
}

/** The factor at each step of epochs of so many steps. */
function run(option: ScheduleOption, steps: number, stepsPerEpoch: number): number[] {
  const { schedule, factor } = scheduleOf(option);
  return Array.from({ length: steps }, (_, step) => {
    schedule.apply({ step, epoch: Math.floor(step / stepsPerEpoch) });
    return factor();
  });
}

test('all groups are scaled by the same factor, and lrScale is left to hooks', () => {
  const { schedule, views } = scheduleOf({ name: 'exponential', gamma: 0.5 });
  schedule.apply({ step: 2, epoch: 0 });
  expect(views.flatMap(({ groups }) => groups.map(({ lr, lrScale }) => [lr, lrScale]))).toEqual([
    [0.05, 1],
    [0.025, 1],
    [0.25, 0.5],
  ]);
  // Once more for the same step changes nothing.
  schedule.apply({ step: 2, epoch: 0 });
  expect(views[1]!.groups[0]!.lr).toBe(0.25);
});

test('a schedule counts steps or epochs', () => {
  const steps = run({ name: 'step', every: 2, gamma: 0.5 }, 6, 3);
  expect(steps).toEqual([1, 1, 0.5, 0.5, 0.25, 0.25]);
  const epochs = run({ name: 'step', every: 1, gamma: 0.5, by: 'epoch' }, 6, 3);
  expect(epochs).toEqual([1, 1, 1, 0.5, 0.5, 0.5]);
  expect(run({ name: 'polynomial', epochs: 2 }, 6, 2)).toEqual([1, 1, 0.5, 0.5, 0, 0]);
});

describe('in a list', () => {
  test('each schedule runs for its length, then the next from its start', () => {
    const option: ScheduleOption = [
      { name: 'warmup', steps: 2, from: 0.5 },
      { name: 'constant', steps: 1, factor: 0.9 },
      { name: 'exponential', gamma: 0.5 },
    ];
    expect(run(option, 7, 100)).toEqual([0.5, 0.75, 0.9, 1, 0.5, 0.25, 0.125]);
  });

  test('the last one stays at its end', () => {
    expect(run({ name: 'step', steps: 2, every: 1, gamma: 0.5 }, 5, 100)).toEqual([1, 0.5, 0.25, 0.25, 0.25]);
  });

  test('steps and epochs can be mixed: the next one starts now', () => {
    const option: ScheduleOption = [
      { name: 'warmup', steps: 3, from: 0.25 },
      { name: 'step', epochs: 2, every: 1, gamma: 0.5 },
      { name: 'constant', factor: 0.1, steps: 1 },
      { name: 'constant', factor: 0.2 },
    ];
    // Epochs of two steps: the warm-up ends in the middle of epoch 1, which is the first one of the next.
    expect(run(option, 9, 2)).toEqual([0.25, 0.5, 0.75, 1, 0.5, 0.5, 0.1, 0.2, 0.2]);
  });

  test('skipping steps in between makes no difference', () => {
    const option: ScheduleOption = [
      { name: 'constant', factor: 0.5, steps: 10 },
      { name: 'constant', factor: 0.6, steps: 10 },
      { name: 'exponential', gamma: 0.5 },
    ];
    const { schedule, factor } = scheduleOf(option);
    schedule.apply({ step: 21, epoch: 0 });
    expect(factor()).toBe(0.5);
  });
});

test('a plateau in a list starts when it is due', () => {
  const { schedule, factor } = scheduleOf([
    { name: 'warmup', epochs: 2, from: 0.5 },
    { name: 'plateau', patience: 0, factor: 0.1 },
  ]);
  const seen: number[] = [];
  for (let epoch = 0; epoch < 6; epoch++) {
    schedule.apply({ step: epoch, epoch });
    seen.push(factor());
    schedule.observe('validation', { 'val/loss': 1 });
    schedule.observe('epoch', { 'train/loss': 1 });
  }
  expect(seen).toEqual([0.5, 0.75, 1, 1, 0.1, 0.010000000000000002]);
});

test('each plateau of a list starts over', () => {
  const plateau = { name: 'plateau', patience: 0, factor: 0.1 } as const;
  const { schedule, factor } = scheduleOf([{ ...plateau, epochs: 3 }, plateau]);
  const seen = [0, 1, 2, 3].map((epoch) => {
    schedule.apply({ step: epoch, epoch });
    schedule.observe('validation', { 'val/loss': 1 });
    return factor();
  });
  expect(seen).toEqual([1, 1, 0.1, 1]);
});

test('a plateau watches validation after it, and any other metric at the end of the epoch', async () => {
  const { schedule, factor } = scheduleOf({ name: 'plateau', monitor: 'train/loss', patience: 0 });
  for (const when of ['validation', 'epoch', 'validation', 'epoch'] as const) {
    schedule.observe(when, when === 'epoch' ? { 'train/loss': 1 } : { 'val/loss': 1 });
  }
  schedule.apply({ step: 4, epoch: 2 });
  expect(factor()).toBe(0.1);
  const { schedule: other } = scheduleOf({ name: 'plateau', monitor: 'val/los' });
  const error = await errorOf(() => other.observe('validation', { 'val/loss': 1, 'val/accuracy': 1 }));
  expect(error.code).toBe('BAD_SCHEDULE');
  for (const part of ['"val/los"', 'Did you mean "val/loss"?', 'val/accuracy']) {
    expect(error.message).toContain(part);
  }
});

test('saved as JSON and loaded, it continues where it was', () => {
  const option: ScheduleOption = [
    { name: 'warmup', steps: 3, from: 0.25 },
    { name: 'plateau', patience: 1, epochs: 4 },
    { name: 'exponential', gamma: 0.5 },
  ];
  const play = (schedule: LrSchedule, factor: () => number, epochs: readonly number[]) =>
    epochs.map((epoch) => {
      schedule.apply({ step: 2 * epoch, epoch });
      schedule.observe('validation', { 'val/loss': 1 });
      schedule.apply({ step: 2 * epoch + 1, epoch });
      return factor();
    });
  const whole = scheduleOf(option);
  const first = play(whole.schedule, whole.factor, [0, 1, 2, 3]);
  const saved = JSON.parse(JSON.stringify(whole.schedule.saveState()));
  const rest = play(whole.schedule, whole.factor, [4, 5, 6, 7]);
  expect(new Set([...first, ...rest]).size).toBeGreaterThan(4);
  const resumed = scheduleOf(option);
  resumed.schedule.loadState(saved);
  expect(play(resumed.schedule, resumed.factor, [4, 5, 6, 7])).toEqual(rest);
});

test('the learning rates that are saved are those at factor 1', () => {
  const { schedule } = scheduleOf({ name: 'constant', factor: 0.5 });
  const changed = optimizers();
  changed[1]!.groups[0]!.lr = 7;
  const resumed = scheduleOf({ name: 'constant', factor: 0.5 }, changed);
  resumed.schedule.loadState(schedule.saveState());
  resumed.schedule.apply({ step: 0, epoch: 0 });
  expect(resumed.factor()).toBe(0.5);
  resumed.schedule.restart();
  expect(resumed.factor()).toBe(3.5);
});

describe('a schedule that is wrong is named with what to do:', () => {
  test.each<[string, unknown, string, string[]]>([
    [
      'an unknown name',
      { name: 'cosin' },
      'BAD_SCHEDULE',
      ['"cosin"', 'Did you mean "cosine"?', 'one-cycle'],
    ],
    ['a name that needs more', 'cosine', 'BAD_SCHEDULE', ["{ name: 'cosine', steps: 1000 }"]],
    ['no object', 3, 'BAD_SCHEDULE', ['Known schedules']],
    ['an empty list', [], 'BAD_SCHEDULE', ['empty']],
    [
      'an unknown option',
      { name: 'step', evry: 3 },
      'BAD_OPTIONS',
      ['Schedule "step"', 'Did you mean "every"?', 'by'],
    ],
    ['a needed option that is missing', { name: 'step' }, 'BAD_SCHEDULE', ['"step" needs every']],
    ['no length', { name: 'warmup' }, 'BAD_SCHEDULE', ['"warmup" needs steps or epochs']],
    ['no length and no cycle', { name: 'cosine' }, 'BAD_SCHEDULE', ['needs steps or epochs, or a cycle']],
    ['no gamma', { name: 'exponential' }, 'BAD_SCHEDULE', ['needs gamma']],
    [
      'a length of zero',
      { name: 'warmup', steps: 0 },
      'BAD_OPTIONS',
      ['"steps" must be', 'got 0', 'at least 1'],
    ],
    [
      'a number that makes no sense',
      { name: 'one-cycle', steps: 10, rise: 1 },
      'BAD_OPTIONS',
      ['"rise" must be', 'got 1', 'below 1'],
    ],
    [
      'an unknown choice',
      { name: 'plateau', mode: 'low' },
      'BAD_OPTIONS',
      ['"mode" must be', 'got "low"', '"max"'],
    ],
    ['two lengths', { name: 'constant', steps: 1, epochs: 2 }, 'BAD_SCHEDULE', ['either steps or epochs']],
    ['a length and another unit', { name: 'constant', steps: 1, by: 'epoch' }, 'BAD_SCHEDULE', ['either']],
    [
      'one that never ends before another',
      [{ name: 'exponential', gamma: 0.9 }, { name: 'constant' }],
      'BAD_SCHEDULE',
      ['"exponential" never ends', 'steps or epochs'],
    ],
  ])('%s', async (_what, option, code, parts) => {
    const error = await errorOf(() => createSchedule(option as ScheduleOption));
    expect(error.code, error.message).toBe(code);
    for (const part of parts) expect(error.message).toContain(part);
  });
});

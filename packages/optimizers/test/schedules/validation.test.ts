import { errorOf } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import { createSchedule, LrSchedule, type ScheduleOption } from '../../src/index.js';

function scheduleOf(option: ScheduleOption) {
  const groups = [
    { name: 'kernel', lr: 0.1, lrScale: 1 },
    { name: 'bias', lr: 0.4, lrScale: 0.5 },
  ];
  return { groups, schedule: new LrSchedule(createSchedule(option), [{ name: 'adam', groups }]) };
}

describe('before training, a schedule that watches validation', () => {
  const plateau: ScheduleOption = { name: 'plateau', monitor: 'val/accuracy', mode: 'max' };

  test('refuses to run without validation, and says what to do', async () => {
    const error = await errorOf(() => scheduleOf(plateau).schedule.checkValidation(false));
    expect(error.code).toBe('BAD_SCHEDULE');
    for (const part of ['"val/accuracy"', 'no validation data', 'monitor'])
      expect(error.message).toContain(part);
  });

  test('refuses a metric that there will not be, and names the nearest', async () => {
    const metrics = ['val/loss', 'val/acc'];
    const error = await errorOf(() => scheduleOf(plateau).schedule.checkValidation(true, metrics));
    expect(error.code).toBe('BAD_SCHEDULE');
    for (const part of ['"val/accuracy"', 'no such metric', 'val/loss, val/acc']) {
      expect(error.message).toContain(part);
    }
  });

  test('accepts a metric that there will be, and any where they are unknown', () => {
    scheduleOf(plateau).schedule.checkValidation(true, ['val/loss', 'val/accuracy']);
    scheduleOf(plateau).schedule.checkValidation(true);
  });

  test('is found anywhere in a sequence', async () => {
    const sequence: ScheduleOption = [{ name: 'warmup', steps: 5 }, { name: 'plateau' }];
    const error = await errorOf(() => scheduleOf(sequence).schedule.checkValidation(false));
    expect(error.message).toContain('"val/loss"');
  });

  test('does not mind when it watches training', () => {
    scheduleOf({ name: 'plateau', monitor: 'train/loss' }).schedule.checkValidation(false);
    scheduleOf({ name: 'constant' }).schedule.checkValidation(false);
  });
});

test('asking twice for the same step changes nothing, and going back is possible', () => {
  const { groups, schedule } = scheduleOf({ name: 'exponential', gamma: 0.5 });
  const ratesAt = (step: number) => {
    schedule.apply({ step, epoch: 0 });
    return groups.map(({ lr }) => lr);
  };
  expect([ratesAt(3), ratesAt(3), ratesAt(1)]).toEqual([
    [0.0125, 0.05],
    [0.0125, 0.05],
    [0.05, 0.2],
  ]);
});

test('a plateau that is restarted forgets what it has seen', () => {
  const { groups, schedule } = scheduleOf({ name: 'plateau', patience: 0, factor: 0.5 });
  for (const loss of [1, 2, 3]) schedule.observe('validation', { 'val/loss': loss });
  schedule.apply({ step: 1, epoch: 1 });
  expect(groups[0]!.lr).toBe(0.025);
  schedule.restart();
  expect(groups[0]!.lr).toBe(0.1);
  schedule.observe('validation', { 'val/loss': 100 });
  schedule.apply({ step: 1, epoch: 1 });
  expect(groups[0]!.lr).toBe(0.1);
});

test('saved with more schedules than there are now, the last one continues', () => {
  const list = (length: number) =>
    [
      { name: 'warmup', steps: 2 },
      { name: 'step', every: 2, gamma: 0.5, steps: 4 },
      { name: 'constant', factor: 0.1 },
    ].slice(0, length) as never;
  const long = scheduleOf(list(3));
  long.schedule.apply({ step: 7, epoch: 0 });
  const short = scheduleOf(list(2));
  short.schedule.loadState(long.schedule.saveState());
  // The third began at step 6: that is where the second, which is the last now, goes on from.
  const rates = [6, 8, 10].map((step) => {
    short.schedule.apply({ step, epoch: 0 });
    return short.groups[0]!.lr;
  });
  expect(rates).toEqual([0.1, 0.05, 0.025]);
});

test('what was saved is not changed by a schedule that continues from it, nor the other way round', () => {
  const { schedule } = scheduleOf({ name: 'plateau', patience: 0, factor: 0.5 });
  schedule.observe('validation', { 'val/loss': 1 });
  const saved = schedule.saveState();
  const copy = structuredClone(saved);
  const other = scheduleOf({ name: 'plateau', patience: 0, factor: 0.5 });
  other.schedule.loadState(saved);
  other.schedule.observe('validation', { 'val/loss': 2 });
  expect(saved).toEqual(copy);
  Object.assign(saved as object, { base: [], index: 7 });
  other.schedule.apply({ step: 1, epoch: 1 });
  expect(other.groups[0]!.lr).toBe(0.05);
});

test('saved with more groups than there are now, the others keep their rates', () => {
  const two = scheduleOf({ name: 'constant', factor: 0.5 });
  const saved = two.schedule.saveState();
  const groups = [
    { name: 'kernel', lr: 9, lrScale: 1 },
    { name: 'new', lr: 3, lrScale: 1 },
  ];
  const other = new LrSchedule(createSchedule({ name: 'constant', factor: 0.5 }), [{ name: 'adam', groups }]);
  other.loadState(saved);
  other.apply({ step: 0, epoch: 0 });
  expect(groups.map(({ lr }) => lr)).toEqual([0.05, 1.5]);
});

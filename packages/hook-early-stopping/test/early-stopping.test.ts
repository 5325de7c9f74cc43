import type { Hook } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { earlyStopping } from '../src/index.js';
import { scriptedRun } from './scripted-run.js';

test('the run stops after patience checks without improvement, and says why', async () => {
  const run = scriptedRun([0.5, 0.4, 0.39995, 0.45, 0.4, 0.1], earlyStopping({ patience: 3 }));
  const result = await run.fit();
  expect(result.status).toBe('stopped');
  expect(result.history).toHaveLength(5);
  expect(result.stopReason).toBe(
    'early-stopping: val/loss did not improve by 0.0001 for 3 checks; best 0.4 at epoch 2',
  );
});

test('a run that keeps improving is not stopped', async () => {
  const run = scriptedRun([0.5, 0.4, 0.3, 0.2], earlyStopping({ patience: 1 }));
  expect(await run.fit()).toMatchObject({ status: 'completed', stopReason: undefined });
});

test('higher is better with mode max', async () => {
  const run = scriptedRun([0.1, 0.2, 0.3, 0.3], earlyStopping({ mode: 'max', patience: 1 }));
  expect((await run.fit()).stopReason).toMatch(/best 0.3 at epoch 3/);
});

test('NaN stops the run at once, unless checkFinite is off: then it is a check without improvement', async () => {
  const strict = scriptedRun([0.5, Number.NaN, 0.4], earlyStopping());
  expect((await strict.fit()).stopReason).toBe('early-stopping: val/loss is NaN; best 0.5 at epoch 1');
  const lenient = scriptedRun(
    [0.5, Number.NaN, 0.4, Number.NaN, Number.NaN],
    earlyStopping({ checkFinite: false, patience: 2 }),
  );
  expect((await lenient.fit()).stopReason).toMatch(/for 2 checks; best 0.4 at epoch 3/);
});

test('a missing metric ends the run with an error that lists the metrics of the run', async () => {
  const run = scriptedRun([0.5, 0.5], earlyStopping({ monitor: 'val/los' }));
  await expect(run.fit()).rejects.toThrow(
    /monitors "val\/los", but there is no such metric\. Did you mean "val\/loss"\? Metrics so far: .*val\/loss/,
  );
});

test('with strict: false a missing metric is reported once and waited for', async () => {
  const run = scriptedRun(
    [0.5, 0.5, 0.5],
    earlyStopping({ monitor: 'late/metric', strict: false, patience: 1 }),
  );
  const late: Hook = {
    name: 'late',
    onEpochEnd(ctx, { epoch }) {
      if (epoch === 1) ctx.log({ 'late/metric': 1 });
    },
  };
  run.trainer.addHook(late);
  expect((await run.fit()).status).toBe('completed');
  expect(run.said().filter((line) => line.includes('late/metric'))).toEqual([
    expect.stringMatching(/Metrics so far: .*val\/loss.*Waiting for it/),
  ]);
});

test('metrics that other hooks log can be monitored', async () => {
  const logs: Hook = { name: 'logs', onValidationEnd: (ctx) => ctx.log({ 'mine/score_error': 3 }) };
  const run = scriptedRun(
    [0.5, 0.4, 0.3, 0.2],
    earlyStopping({ monitor: 'mine/score_error', mode: 'min', patience: 2 }),
    logs,
  );
  const result = await run.fit();
  expect(result.stopReason).toMatch(/^early-stopping: mine\/score_error .* for 2 checks; best 3 at epoch 1$/);
});

test('without validation a single warning after the first epoch says that nothing can be checked', async () => {
  const run = scriptedRun([], earlyStopping());
  expect((await run.fit({ epochs: 3, validation: false })).status).toBe('completed');
  expect(run.said().filter((line) => line.includes('early-stopping'))).toEqual([
    expect.stringMatching(
      /checks "val\/loss" after validation, and there was none.*Metrics so far: train\/loss/,
    ),
  ]);
});

test('a train/ metric is checked at the end of the epoch and needs no validation', async () => {
  const run = scriptedRun([], earlyStopping({ monitor: 'train/loss', minDelta: 1e9, patience: 2 }));
  const result = await run.fit({ epochs: 5, validation: false });
  expect(result.history).toHaveLength(3);
  expect(result.stopReason).toMatch(
    /^early-stopping: train\/loss did not improve by 1000000000 for 2 checks/,
  );
});

test('checks at the end of the epoch do not count the validation of an earlier epoch again', async () => {
  const stopping = earlyStopping({ checkOnTrainEpochEnd: true, patience: 1 });
  const run = scriptedRun([0.5, 0.4], stopping);
  await run.fit();
  // A loop that validates in every other epoch only.
  const events: string[] = [];
  const ctx = {
    hook: 'early-stopping',
    state: { stage: 'fit' },
    metrics: { 'val/loss': 0.4 },
    signal: new AbortController().signal,
    stop: (reason: string) => events.push(reason),
  };
  const call = async (
    name: 'onValidationEnd' | 'onEpochEnd',
    epoch: number,
    metrics: Record<string, number>,
  ) => stopping[name]!(ctx as never, { epoch, metrics });
  await call('onEpochEnd', 2, { 'train/loss': 1 });
  expect(events).toEqual([]);
  await call('onValidationEnd', 3, { 'val/loss': 0.4 });
  await call('onEpochEnd', 3, { 'train/loss': 1, 'val/loss': 0.4 });
  expect(events).toHaveLength(1);
});

test('a run that another hook stops in its first epoch does not fail because the metric is missing', async () => {
  for (const checkOnTrainEpochEnd of [true, false]) {
    const stopper: Hook = { name: 'stopper', onTrainBatchEnd: (ctx) => ctx.stop('enough') };
    const run = scriptedRun([0.5, 0.4], stopper, earlyStopping({ checkOnTrainEpochEnd }));
    expect((await run.fit()).stopReason).toBe('enough');
    expect(run.said().filter((line) => line.includes('early-stopping'))).toEqual([]);
  }
});

test('a validate() that the user calls is not a check', async () => {
  const run = scriptedRun([0.5, 0.9], earlyStopping({ verbose: true }));
  await run.fit({ epochs: 1 });
  const before = run.said().length;
  await run.validate();
  expect(
    run
      .said()
      .slice(before)
      .filter((line) => line.includes('val/loss')),
  ).toEqual([]);
});

test('every fit starts over', async () => {
  const run = scriptedRun([0.1, 0.2, 0.5, 0.4, 0.3], earlyStopping({ patience: 2 }));
  await run.fit({ epochs: 2 });
  expect((await run.fit({ epochs: 3 })).status).toBe('completed');
});

test('verbose logs what each check found', async () => {
  const run = scriptedRun([0.5, 0.4, 0.6], earlyStopping({ verbose: true, baseline: 0.45 }));
  await run.fit();
  expect(run.said().filter((line) => line.includes('val/loss'))).toEqual([
    'val/loss improved to 0.5, not yet past the baseline 0.45: 1 of 10 checks.',
    'val/loss improved to 0.4.',
    'val/loss 0.6 is not an improvement: 1 of 10 checks; best 0.4.',
  ]);
});

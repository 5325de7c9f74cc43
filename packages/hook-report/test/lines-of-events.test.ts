import type { HookContext } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { LinesOfEvents } from '../src/collect/lines-of-events.js';

/** As far as the lines of a run without a log ask. */
function contextOf(state: object = {}) {
  const shared = new Map();
  const all = {
    epoch: 0,
    step: 0,
    batchIndex: 0,
    elapsedSeconds: 0,
    completedEpochs: 0,
    optimizers: [],
    ...state,
  };
  return { state: all as { -readonly [Name in keyof HookContext['state']]: unknown } & typeof all, shared };
}

const linesOf = (context: object) => new LinesOfEvents(context as HookContext);

test('every hundredth batch is read, as json-log does it', () => {
  const context = contextOf();
  const lines = linesOf(context);
  const due = Array.from({ length: 250 }, (_, at) => {
    context.state.batchIndex = at;
    return lines.isBatchDue ? at : undefined;
  });
  expect(due.filter((at) => at !== undefined)).toEqual([99, 199]);
});

test('a batch tells its metrics, the rate of every group, and the speed since the last one', () => {
  const group = { lr: 0.1, lrScale: 0.5 };
  const context = contextOf({ optimizers: [{ name: 'sgd', groups: [group] }], step: 100, elapsedSeconds: 1 });
  const lines = linesOf(context);
  lines.batchEnded({ metrics: { 'train/loss': 3 } } as never);
  context.state.step = 200;
  context.state.elapsedSeconds = 3;
  lines.batchEnded({ metrics: { 'train/loss': 2 } } as never);
  const { series } = lines.builder.view();
  expect([...series.get('batch/loss')!.points().values]).toEqual([3, 2]);
  expect([...series.keys()].filter((name) => name.startsWith('lr/'))).toHaveLength(1);
  expect(series.get([...series.keys()].find((name) => name.startsWith('lr/'))!)!.latest).toBe(0.05);
  const speed = series.get('speed/steps-per-second')!.points();
  expect([[...speed.steps], [...speed.values]]).toEqual([[200], [50]]);
});

test('epochs, validations, logged values, a failure and the end become what a log would say', () => {
  const context = contextOf({ step: 10 });
  const lines = linesOf(context);
  lines.started({ epochs: 3, batchesPerEpoch: 10 } as never);
  lines.measured('validation', { 'val/loss': 4 });
  lines.logged({ scope: 'x', epoch: 0, step: 5, values: { 'x/y': 1 } } as never);
  // An epoch that is not among the completed ones was cut short.
  lines.epochEnded({ epoch: 0, metrics: { 'train/loss': 1 } } as never);
  context.state.completedEpochs = 2;
  lines.epochEnded({ epoch: 1, metrics: { 'train/loss': 1 } } as never);
  lines.ended({ status: 'stopped', stopReason: 'enough', metrics: { 'test/loss': 9 } } as never);
  const view = lines.builder.view();
  expect(view.plannedEpochs).toBe(3);
  expect(view.epochs.map(({ epoch, isCutShort }) => [epoch, isCutShort])).toEqual([
    [0, true],
    [1, false],
  ]);
  expect(view.metrics).toMatchObject({ 'val/loss': 4, 'test/loss': 9 });
  expect([...view.series.get('x/y')!.points().steps]).toEqual([5]);
  expect(view.ended).toEqual({ status: 'stopped', stopReason: 'enough' });
  lines.failed(new Error('no'));
  expect(lines.builder.view().ended).toEqual({ status: 'error', failure: 'no' });
});

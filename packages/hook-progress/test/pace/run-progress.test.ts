import { expect, test } from 'vitest';
import { RunProgress } from '../../src/pace/run-progress.js';

/** A run of 4 epochs of 10 batches, a second each. */
function started(isResumed = false): RunProgress {
  const run = new RunProgress();
  run.startRun({ epochs: 4, batchesPerEpoch: 10 }, isResumed, 0);
  return run;
}

test('the time to the end of the run counts validation in', () => {
  const run = started();
  run.startEpoch(0, 0);
  for (let done = 1; done <= 10; done++) run.advance(done, done * 1000);
  run.startOther('validating', 5, 10_000);
  run.advance(5, 20_000);
  run.endOther(5, 20_000);
  run.startEpoch(1, 20_000);
  // One epoch took 20 seconds; three are left.
  expect(run.views(20_000)[0]).toMatchObject({ label: 'epoch 2/4', done: 0, runEtaSeconds: 60 });
});

test('a second validation is known to be as long as the first', () => {
  const run = started();
  run.startEpoch(0, 0);
  run.startOther('validating', undefined, 0);
  expect(run.views(0)[1]).toMatchObject({ label: 'validating', total: undefined });
  run.advance(7, 700);
  run.endOther(7, 700);
  run.startOther('validating', undefined, 700);
  expect(run.views(700)[1]).toMatchObject({ total: 7 });
});

test('more batches than were expected are counted without a total', () => {
  const run = started();
  run.startEpoch(0, 0);
  run.advance(11, 1000);
  expect(run.views(1000)[0]).toMatchObject({ done: 11, total: undefined, etaSeconds: undefined });
});

test('a resumed run measures its pace from where it starts', () => {
  const run = started(true);
  run.startEpoch(1, 0);
  run.advance(5, 100_000); // the first batch after a long start
  expect(run.views(100_000)[0]!.runEtaSeconds).toBeUndefined();
  run.advance(6, 101_000);
  expect(run.views(101_000)[0]!.runEtaSeconds).toBeCloseTo(24, 6);
});

test('the last epoch has no time to the end of the run: it is the time to the end of the epoch', () => {
  const run = started();
  run.startEpoch(3, 0);
  run.advance(5, 5000);
  expect(run.views(5000)[0]).toMatchObject({ etaSeconds: 5, runEtaSeconds: undefined });
});

test('an epoch that is over has its own time and metrics, not those to come', () => {
  const run = started();
  run.startEpoch(0, 0);
  run.advance(10, 5000);
  const view = run.epochView({ 'train/loss': 0.5 }, 8000);
  expect(view).toEqual({
    ...{ label: 'epoch 1/4', done: 10, total: 10, perSecond: 2, tookSeconds: 8 },
    metrics: { 'train/loss': 0.5 },
  });
});

import type { RunView } from '@hookline/run-view';
import { epochLine, logged, viewOf } from '@hookline/test-support/run-views';
import { expect, test } from 'vitest';
import { header } from '../src/page/header.js';
import { textOf } from './text-of.js';

const headerOf = (more: Partial<RunView>, lines = [epochLine(0, { 'val/loss': 1 })]) =>
  textOf(header(viewOf(lines, more)).text);

test.each<[Partial<RunView>, string]>([
  [{ status: 'completed' }, 'All epochs are done.'],
  [{ status: 'stopped', stopReason: 'enough.' }, 'Stopped: enough. '],
  [{ status: 'stopped' }, 'Stopped: no reason was given.'],
  [{ status: 'error', failure: 'no space' }, 'The run failed. no space'],
  [{ status: 'died' }, 'its log ends where it died'],
  [{ status: 'running' }, 'was not over when this page was made'],
  [{ status: 'unknown' }, 'no record of how it ended'],
])('%j is told as: %s', (more, text) => {
  expect(headerOf(more)).toContain(text);
});

test('the facts come with it: best, epochs, steps, time, parameters, backend', () => {
  const text = headerOf({
    best: { metric: 'val/loss', value: 0.123456, epoch: 3 },
    plannedEpochs: 5,
    durationMs: 61_000,
    parameters: 12_345,
    backend: 'wasm',
    device: 'cpu',
    startedAt: '2026-01-02T03:04:05.000Z',
    metrics: { 'val/loss': 1, 'val/accuracy': 0.5, 'train/loss': 2, 'test/loss': 3 },
  });
  for (const fact of [
    'best val/loss 0.1235 in epoch 3',
    'val/accuracy 0.5',
    'test/loss 3',
    'epochs 1 of 5',
    'steps 10',
    'took 1 min 1 s',
    'parameters 12,345',
    'backend wasm on cpu',
    'started (UTC) 2026-01-02 03:04',
  ]) {
    expect(text).toContain(fact);
  }
  // The best has its own place, and training is compared with nothing here.
  expect(text).not.toContain('val/loss 1');
  expect(text).not.toContain('train/loss');
});

test('an epoch that was cut short is not counted as done', () => {
  const lines = [epochLine(0, {}), { ...epochLine(1, {}), cutShort: true }];
  expect(headerOf({ plannedEpochs: 4 }, lines)).toContain('epochs 1 of 4');
});

test('a resumed run names what it continues, where, and the time of all its parts', () => {
  const text = headerOf({
    durationMs: 5_000,
    resumes: [
      { step: 1_000, epoch: 1 },
      { step: 2_000, epoch: 2 },
    ],
    earlier: [
      { id: 'first', durationMs: 55_000, isKnown: true },
      { id: 'second', isKnown: false },
    ],
  });
  expect(text).toContain('took 1 min 0 s, 5 s of it since it was resumed');
  expect(text).toContain('resumed at step 1,000, at step 2,000');
  expect(text).toContain('continues first, second (its log is missing)');
});

test('warnings are shown with hook and step, at most 50; lines that could not be read are counted', () => {
  const warning = (at: number) => ({ event: 'warning', step: at, hook: 'debug', message: `number ${at}` });
  const lines = Array.from({ length: 60 }, (_, at) => warning(at));
  const text = headerOf({ skippedLines: 1_234 }, lines as never);
  expect(text).toContain('Warnings debug number 0 step 0');
  expect(text).toContain('number 49');
  expect(text).not.toContain('number 50');
  expect(text).toContain('and 10 more');
  expect(text).toContain('1,234 lines of the log could not be read.');
  expect(headerOf({ skippedLines: 1 })).toContain('Note');
  expect(headerOf({})).not.toMatch(/Warnings|Note/);
});

test('the verdict of the profiler is at the top', () => {
  expect(headerOf({ profile: { verdict: '62 % is waiting.', phases: [] } })).toContain(
    'Profiler: 62 % is waiting.',
  );
});

test('a run that logged nothing has no steps to tell', () => {
  expect(headerOf({}, [])).not.toContain('steps');
  expect(headerOf({}, [logged(7, { a: 1 })])).toContain('steps 7');
});

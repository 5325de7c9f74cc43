import type { PhaseMark } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { Trace } from '../src/trace.js';
import { complaintsAbout } from './trace-format.js';

const mark = (start: number, end: number, more: Partial<PhaseMark> = {}): PhaseMark => ({
  phase: 'forward',
  start,
  end,
  hook: undefined,
  event: undefined,
  ...more,
});

const read = (trace: Trace, collections: { start: number; end: number }[] = []) =>
  JSON.parse(trace.toJson('run-1', collections));

test('times begin with the trace, in microseconds, and hooks are named with their events', () => {
  const trace = new Trace();
  trace.addStep(
    4,
    [mark(1_000, 1_002.5), mark(1_002.5, 1_003, { phase: 'hooks', hook: 'a', event: 'onX' })],
    [],
  );
  const json = read(trace);
  expect(complaintsAbout(json)).toEqual([]);
  const spans = json.traceEvents.filter(({ ph }: { ph: string }) => ph === 'X');
  expect(spans).toMatchObject([
    { name: 'step 5', ts: 0, dur: 3_000 },
    { name: 'forward', cat: 'forward', ts: 0, dur: 2_500 },
    { name: 'a.onX', cat: 'hooks', ts: 2_500, dur: 500, args: { hook: 'a', event: 'onX' } },
  ]);
  expect(json.otherData).toEqual({ run: 'run-1', stepsLeftOut: 0 });
});

test('collections are on a line of their own, those within the trace only', () => {
  const trace = new Trace();
  trace.addStep(0, [mark(10, 20)], []);
  const json = read(trace, [
    { start: 5, end: 11 },
    { start: 12, end: 13 },
    { start: 19, end: 21 },
  ]);
  const garbage = json.traceEvents.filter(({ cat }: { cat?: string }) => cat === 'gc');
  expect(garbage).toMatchObject([{ tid: 2, ts: 2_000, dur: 1_000 }]);
});

test('a step without marks is left out, and what would be too much to open is counted', () => {
  const trace = new Trace();
  trace.addStep(0, [], []);
  expect(trace.isEmpty).toBe(true);
  const kernels = new Array(200_000).fill({ name: 'Add', start: 1, end: 1 });
  trace.addStep(0, [mark(0, 1)], kernels);
  trace.addStep(1, [mark(1, 2)], kernels.slice(0, 5));
  const json = read(trace);
  expect(json.otherData.stepsLeftOut).toBe(1);
  expect(json.traceEvents.filter(({ cat }: { cat?: string }) => cat === 'kernel')).toHaveLength(5);
});

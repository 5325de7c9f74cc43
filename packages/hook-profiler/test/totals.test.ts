import type { PhaseMark, RunPhase } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { profileOf } from '../src/profile-of.js';
import type { RuntimeTotals } from '../src/runtime-watch.js';
import { Totals } from '../src/totals.js';

const QUIET: RuntimeTotals = {
  count: 0,
  milliseconds: 0,
  longest: 0,
  collections: [],
  delay: { mean: 0, p99: 0, max: 0 },
};

/** Marks one after the other, each of so many milliseconds. */
function totalsOf(
  ...parts: readonly [phase: RunPhase, took: number, hook?: string, event?: string][]
): Totals {
  const totals = new Totals();
  let start = 100;
  for (const [phase, took, hook, event] of parts) {
    const mark: PhaseMark = { phase, start, end: start + took, hook, event };
    totals.add(mark);
    start += took;
  }
  return totals;
}

test('marks add up by phase, by hook and by event, and all of them to the whole', () => {
  const totals = totalsOf(
    ['data', 10],
    ['hooks', 3, 'a', 'onStepStart'],
    ['forward', 20],
    ['hooks', 4, 'a', 'onTrainBatchEnd'],
    ['transform', 5, 'b', 'transformBatch'],
    ['data', 8],
    ['hooks', 2, 'a', 'onTrainBatchEnd'],
  );
  expect(totals.milliseconds).toBe(52);
  expect(Object.fromEntries(totals.phases)).toEqual({ data: 18, hooks: 9, forward: 20, transform: 5 });
  expect([...totals.hooks].map(([name, { milliseconds }]) => [name, milliseconds])).toEqual([
    ['a', 9],
    ['b', 5],
  ]);
  expect(Object.fromEntries(totals.hooks.get('a')!.events)).toEqual({ onStepStart: 3, onTrainBatchEnd: 6 });
  expect([...totals.phases.values()].reduce((sum, took) => sum + took)).toBe(totals.milliseconds);
});

test('what is under way after the last mark is the work of the profiler', () => {
  const totals = totalsOf(['data', 10]);
  totals.extendTo(117);
  expect(totals.milliseconds).toBe(17);
  expect(Object.fromEntries(totals.hooks.get('profiler')!.events)).toEqual({ teardown: 7 });
  // Without a mark there is no time to go on from.
  const none = new Totals();
  none.extendTo(117);
  expect([none.milliseconds, none.phases.size]).toEqual([0, 0]);
});

test('a profile lists the longest first, in seconds and as shares of the whole', () => {
  const totals = totalsOf(['update', 100], ['data', 600], ['hooks', 300, 'slow', 'onEpochEnd']);
  const profile = profileOf(totals, 7, QUIET, undefined);
  expect(profile).toMatchObject({ version: 1, seconds: 1, steps: 7 });
  expect(profile.phases).toEqual([
    { name: 'data', seconds: 0.6, share: 0.6 },
    { name: 'hooks', seconds: 0.3, share: 0.3 },
    { name: 'update', seconds: 0.1, share: 0.1 },
  ]);
  expect(profile.hooks).toEqual([{ name: 'slow', seconds: 0.3, share: 0.3, events: { onEpochEnd: 0.3 } }]);
  expect(profile.verdict).toMatch(/% of a step is waiting for data/);
  expect(profile).not.toHaveProperty('kernels');
});

test('many short marks still add up to the whole, to the nanosecond', () => {
  const parts = Array.from({ length: 999 }, (_, at): [RunPhase, number] => [
    (['data', 'forward', 'backward'] as const)[at % 3]!,
    0.001 + (at % 7) / 3,
  ]);
  const { phases, seconds } = profileOf(totalsOf(...parts), 1, QUIET, undefined);
  expect(phases.reduce((sum, phase) => sum + phase.seconds, 0)).toBeCloseTo(seconds, 8);
});

test('garbage, the event loop and kernels are in the profile', () => {
  const runtime = {
    ...QUIET,
    count: 3,
    milliseconds: 50,
    longest: 30.12345,
    delay: { mean: 1.23456, p99: 2, max: 3 },
  };
  const kernels = new Map([
    ['Add', { calls: 5, milliseconds: 10 }],
    ['MatMul', { calls: 2, milliseconds: 90 }],
  ]);
  const profile = profileOf(totalsOf(['forward', 1_000]), 1, runtime, kernels);
  expect(profile.garbageCollection).toEqual({
    name: 'garbage collection',
    seconds: 0.05,
    share: 0.05,
    count: 3,
    longestMs: 30.123,
  });
  expect(profile.eventLoopDelayMs).toEqual({ mean: 1.235, p99: 2, max: 3 });
  expect(profile.kernels).toEqual([
    { name: 'MatMul', seconds: 0.09, share: 0.09, calls: 2 },
    { name: 'Add', seconds: 0.01, share: 0.01, calls: 5 },
  ]);
});

test('a run in which nothing was marked is not divided by nothing', () => {
  const profile = profileOf(new Totals(), 0, { ...QUIET, milliseconds: 5 }, undefined);
  expect([profile.seconds, profile.phases, profile.garbageCollection.share]).toEqual([0, [], 0]);
  expect(profile.verdict).toContain('No step was trained');
});

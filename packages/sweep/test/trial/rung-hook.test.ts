import type { HookContext } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { RungHook } from '../../src/trial/rung-hook.js';

/** A run that has come this far, and the reasons for which it was stopped. */
function runAt(epoch: number, step = 0): { ctx: HookContext; stopped: string[] } {
  const stopped: string[] = [];
  const ctx = { state: { epoch, step }, stop: (reason: string) => void stopped.push(reason) };
  return { ctx: ctx as unknown as HookContext, stopped };
}

test('it stops the run at the end of the last epoch of its rung, and not before', () => {
  const hook = new RungHook(3);
  for (const [epoch, stops] of [
    [0, 0],
    [1, 0],
    [2, 1],
    [3, 1],
  ] as const) {
    const { ctx, stopped } = runAt(epoch, epoch * 4);
    hook.onEpochEnd(ctx);
    expect([epoch, stopped.length]).toEqual([epoch, stops]);
  }
  expect(hook.steps).toBe(12);
});

test('a run that begins where its rung ends is stopped before it trains anything', () => {
  const hook = new RungHook(3);
  const [before, there] = [runAt(2, 8), runAt(3, 12)];
  hook.onTrainStart(before.ctx);
  expect([before.stopped.length, hook.steps]).toEqual([0, 8]);
  hook.onTrainStart(there.ctx);
  expect([there.stopped.length, hook.steps]).toEqual([1, 12]);
});

test('it knows its own stop from others, so that a trial that stopped early is known as finished', () => {
  const { ctx, stopped } = runAt(0);
  new RungHook(1).onEpochEnd(ctx);
  expect(RungHook.stopped(stopped[0])).toBe(true);
  expect(RungHook.stopped('early-stopping: val/loss did not improve')).toBe(false);
  expect(RungHook.stopped(undefined)).toBe(false);
});

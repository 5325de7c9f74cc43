import type { KernelTotal } from './kernel-watch.js';
import type { Profile, Share } from './profile.js';
import type { RuntimeTotals } from './runtime-watch.js';
import type { Totals } from './totals.js';
import { findingsOf, verdictOf } from './verdict.js';

export function profileOf(
  totals: Totals,
  steps: number,
  runtime: RuntimeTotals,
  kernels: ReadonlyMap<string, KernelTotal> | undefined,
): Profile {
  const whole = totals.milliseconds;
  const shareOf = (name: string, milliseconds: number): Share => ({
    name,
    seconds: seconds(milliseconds),
    share: whole > 0 ? rounded(milliseconds / whole, 4) : 0,
  });
  const phases = [...totals.phases].map(([name, took]) => shareOf(name, took)).sort(longestFirst);
  const hooks = [...totals.hooks]
    .map(([name, { milliseconds, events }]) => ({
      ...shareOf(name, milliseconds),
      events: Object.fromEntries([...events].map(([event, took]) => [event, seconds(took)])),
    }))
    .sort(longestFirst);
  const garbageCollection = {
    ...shareOf('garbage collection', runtime.milliseconds),
    count: runtime.count,
    longestMs: rounded(runtime.longest, 3),
  };
  const kernelShares =
    kernels &&
    [...kernels]
      .map(([name, { calls, milliseconds }]) => ({ ...shareOf(name, milliseconds), calls }))
      .sort(longestFirst);
  const findings = findingsOf({ phases, hooks, garbageCollection, kernels: kernelShares });
  return {
    version: 1,
    verdict: verdictOf(findings, steps),
    seconds: seconds(whole),
    steps,
    phases,
    hooks,
    findings,
    ...(kernelShares && { kernels: kernelShares }),
    garbageCollection,
    eventLoopDelayMs: {
      mean: rounded(runtime.delay.mean, 3),
      p99: rounded(runtime.delay.p99, 3),
      max: rounded(runtime.delay.max, 3),
    },
  };
}

function longestFirst(a: Share, b: Share): number {
  return b.seconds - a.seconds;
}

/** To the nanosecond, so that the phases add up. */
function seconds(milliseconds: number): number {
  return rounded(milliseconds / 1000, 9);
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

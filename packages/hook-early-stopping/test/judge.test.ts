import type { Hook, HookContext } from '@hookline/hook-api';
import { describe, expect, test } from 'vitest';
import { earlyStopping } from '../src/index.js';
import { judge, NO_RECORD, type StoppingRecord } from '../src/judge.js';
import { type EarlyStoppingOptions, rulesOf } from '../src/options.js';

interface Outcome {
  stoppedAt: number | undefined;
  bestAt: number | undefined;
}

/** What the hook decides for a sequence of values, one check each. */
function decide(
  values: readonly number[],
  options: EarlyStoppingOptions,
): Outcome & { reason: string | undefined } {
  const rules = rulesOf(options);
  let record: StoppingRecord = NO_RECORD;
  for (const [epoch, value] of values.entries()) {
    const verdict = judge(record, value, epoch, rules);
    record = verdict.record;
    if (verdict.reason !== undefined)
      return { stoppedAt: epoch, bestAt: record.bestEpoch, reason: verdict.reason };
  }
  return { stoppedAt: undefined, bestAt: record.bestEpoch, reason: undefined };
}

/**
 * The documented rules, read from the README one by one and applied to the whole sequence without keeping any
 * state: every question is answered by looking back from the start.
 */
function reference(values: readonly number[], options: EarlyStoppingOptions): Outcome {
  const { mode = 'min', minDelta = 0.0001, patience = 10, checkFinite = true } = options;
  const { baseline, stoppingThreshold, divergenceThreshold } = options;
  const score = (value: number) => (mode === 'min' ? -value : value);
  const bestAt = (end: number): number | undefined => {
    let best: number | undefined;
    for (let i = 0; i <= end; i++) {
      const value = values[i]!;
      if (Number.isNaN(value) || (checkFinite && Math.abs(value) === Infinity)) continue;
      if (best === undefined || score(value) - minDelta > score(values[best]!)) best = i;
    }
    return best;
  };
  const earnsPatience = (i: number) =>
    bestAt(i) === i && (baseline === undefined || score(values[i]!) - minDelta > score(baseline));
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    const checksSince = i - [...values.keys()].slice(0, i + 1).findLastIndex(earnsPatience);
    const stops =
      (checkFinite && !Number.isFinite(value)) ||
      (stoppingThreshold !== undefined && score(value) >= score(stoppingThreshold)) ||
      (divergenceThreshold !== undefined && score(value) < score(divergenceThreshold)) ||
      checksSince >= patience;
    if (stops) return { stoppedAt: i, bestAt: bestAt(i) };
  }
  return { stoppedAt: undefined, bestAt: bestAt(values.length - 1) };
}

/** Seeded, so that a failure can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test('5,000 random runs, with NaN and infinities, end as the documented rules say', () => {
  const random = randomFrom(7);
  const pick = <Value>(...values: Value[]): Value => values[Math.floor(random() * values.length)]!;
  const seen = { stopped: 0, wentOn: 0 };
  for (let round = 0; round < 5_000; round++) {
    const values = Array.from({ length: 1 + Math.floor(random() * 25) }, () =>
      random() < 0.06 ? pick(Number.NaN, Infinity, -Infinity) : Math.round(random() * 40) / 20,
    );
    const options: EarlyStoppingOptions = {
      mode: pick('min', 'max'),
      patience: 1 + Math.floor(random() * 6),
      minDelta: pick(0, 0.05, 0.2),
      checkFinite: pick(true, false, false),
      ...(random() < 0.3 && { baseline: pick(0.5, 1, 1.5) }),
      ...(random() < 0.2 && { stoppingThreshold: pick(0, 0.1, 1.9, 2) }),
      ...(random() < 0.2 && { divergenceThreshold: pick(0, 0.1, 1.9, 2) }),
    };
    const { stoppedAt, bestAt } = decide(values, options);
    expect({ stoppedAt, bestAt }, JSON.stringify({ values: values.map(String), options })).toEqual(
      reference(values, options),
    );
    seen[stoppedAt === undefined ? 'wentOn' : 'stopped']++;
  }
  expect(Math.min(seen.stopped, seen.wentOn)).toBeGreaterThan(500);
});

test('5,000 random runs of the hook, in which values are missing or logged by others, end as the rules say', async () => {
  const random = randomFrom(11);
  const pick = <Value>(...values: Value[]): Value => values[Math.floor(random() * values.length)]!;
  const seen = { stopped: 0, wentOn: 0, unchecked: 0 };
  for (let round = 0; round < 5000; round++) {
    // `event`: validation has the value. `logged`: another hook has logged it. `none`: nobody has a new one.
    const course = Array.from({ length: 1 + Math.floor(random() * 20) }, () => ({
      from: pick('event', 'event', 'logged', 'none', 'none'),
      value: random() < 0.05 ? pick(Number.NaN, Infinity) : Math.round(random() * 40) / 20,
    }));
    const options: EarlyStoppingOptions = {
      monitor: 'mine/value',
      strict: false,
      mode: pick('min', 'max'),
      patience: 1 + Math.floor(random() * 5),
      minDelta: pick(0, 0.05),
      checkFinite: pick(true, false),
      ...(random() < 0.3 && { baseline: 1 }),
    };
    // A missing value is not a check while the metric was never there, and the latest value once it was.
    const checks: { epoch: number; value: number }[] = [];
    for (const [epoch, { from, value }] of course.entries()) {
      const known = from === 'none' ? checks.at(-1)?.value : value;
      if (known !== undefined) checks.push({ epoch, value: known });
    }
    const expected = reference(
      checks.map(({ value }) => value),
      options,
    );
    const epochOf = (index: number | undefined) => (index === undefined ? undefined : checks[index]!.epoch);
    const outcome = await driven(earlyStopping(options), course);
    expect(outcome, JSON.stringify({ course, options })).toEqual({
      stoppedAt: epochOf(expected.stoppedAt),
      bestAt: epochOf(expected.bestAt),
    });
    seen[checks.length === 0 ? 'unchecked' : outcome.stoppedAt === undefined ? 'wentOn' : 'stopped']++;
  }
  expect(Math.min(seen.stopped, seen.wentOn, seen.unchecked)).toBeGreaterThan(50);
});

/** Calls the hook as a trainer does after each validation; returns when it stopped, and what it saves as the best. */
async function driven(hook: Hook, course: readonly { from: string; value: number }[]): Promise<Outcome> {
  const metrics: Record<string, number> = {};
  let stopped = false;
  const ctx = {
    hook: hook.name,
    metrics,
    state: { stage: 'fit' },
    signal: new AbortController().signal,
    logger: { warn: () => {} },
    stop: () => {
      stopped = true;
    },
  } as unknown as HookContext;
  await hook.setup!(ctx, { stage: 'fit' });
  let stoppedAt: number | undefined;
  for (const [epoch, { from, value }] of course.entries()) {
    if (from !== 'none') metrics['mine/value'] = value;
    await hook.onValidationEnd!(ctx, { epoch, metrics: from === 'event' ? { 'mine/value': value } : {} });
    if (!stopped) continue;
    stoppedAt = epoch;
    break;
  }
  const { bestEpoch } = hook.saveState!() as { bestEpoch: number | null };
  return { stoppedAt, bestAt: bestEpoch ?? undefined };
}

describe('the reason', () => {
  test('patience: says the metric, the gain that was missed, the number of checks and the best', () => {
    const { reason, stoppedAt } = decide([0.5, 0.1234, 0.2, 0.2, 0.2], { patience: 3 });
    expect(stoppedAt).toBe(4);
    expect(reason).toBe('val/loss did not improve by 0.0001 for 3 checks; best 0.1234 at epoch 2');
  });

  test('baseline: says what was not reached', () => {
    const { reason } = decide([0.9, 0.8], { patience: 2, baseline: 0.5 });
    expect(reason).toBe(
      'val/loss did not get better than the baseline 0.5 by 0.0001 for 2 checks; best 0.8 at epoch 2',
    );
  });

  test('baseline once passed: it is ordinary patience', () => {
    const { reason } = decide([0.4, 0.4, 0.4], { patience: 2, baseline: 0.5 });
    expect(reason).toBe('val/loss did not improve by 0.0001 for 2 checks; best 0.4 at epoch 1');
  });

  test('non-finite: says which', () => {
    expect(decide([0.4, Number.NaN], {}).reason).toBe('val/loss is NaN; best 0.4 at epoch 1');
    expect(decide([Infinity], {}).reason).toBe('val/loss is Infinity');
  });

  test('stopping threshold: reaching it exactly is enough', () => {
    const options = { monitor: 'val/accuracy', mode: 'max', stoppingThreshold: 1 } as const;
    expect(decide([0.9, 1], options)).toMatchObject({
      stoppedAt: 1,
      bestAt: 1,
      reason: 'val/accuracy reached 1, as good as the stopping threshold 1',
    });
  });

  test('divergence threshold: being worse than it stops, being at it does not', () => {
    expect(decide([5, 5.5], { divergenceThreshold: 5 })).toMatchObject({
      stoppedAt: 1,
      reason: 'val/loss is 5.5, worse than the divergence threshold 5; best 5 at epoch 1',
    });
  });
});

import { type Hook, when } from '@hookline/hook-api';
import { LatestFit } from './latest-fit.js';
import type { LogBackend } from './log-backend.js';
import type { LogOptions } from './log-options.js';
import { LogSession } from './log-session.js';

export interface LogHookSettings extends LogOptions {
  /** Whether it leaves something behind, and is off in a `fastDevRun`. Default true. */
  writes?: boolean;
}

/**
 * A hook that hands what happens in a run to a backend, one for each run, which `create` makes. A backend that
 * fails is reported once and dropped.
 */
export function logHook(
  name: string,
  create: () => LogBackend,
  { every = 100, metrics, writes = true }: LogHookSettings = {},
): Hook {
  const latestFit = new LatestFit();
  /** Of the run that is on: every other event comes between setup and teardown. */
  let session!: LogSession;
  return {
    name,
    writes,
    ranks: 'main',
    // Services have limits of their own, and a disk may be slow.
    timeout: Infinity,

    setup(ctx) {
      session = new LogSession(ctx, create(), { every, metrics }, latestFit);
    },
    onTrainStart: (_ctx, event) => session.trainingStarted(event),
    onEpochStart: () => session.epochStarted(),
    onTrainBatchStart: (_ctx, { batch }) => session.batchStarted(batch),
    onTrainBatchEnd: when(
      () => session.isBatchDue,
      (_ctx, event) => session.batchEnded(event),
    ),
    onLog: (_ctx, event) => session.logged(event),
    onValidationStart: () => session.validationStarted(),
    onValidationEnd: (_ctx, { metrics: found }) => session.validated(found),
    onEpochEnd: (_ctx, event) => session.epochEnded(event),
    onTestEnd: (_ctx, { metrics: found }) => session.tested(found),
    onTrainEnd: (_ctx, event) => session.trainingEnded(event),
    onException: (_ctx, { error }) => session.failed(error),
    teardown: () => session.close(),
  };
}

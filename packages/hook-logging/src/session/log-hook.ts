import {
  type BatchEndEvent,
  type Hook,
  type HookContext,
  is,
  type OptionRule,
  when,
} from '@hookline/hook-api';
import { takeHistograms } from './histograms.js';
import { learningRates } from './learning-rates.js';
import type { BatchRecord, LogBackend, LogContent, LogPosition } from './log-backend.js';
import { LogSession } from './log-session.js';
import { isMetricFilter, type MetricFilter } from './metric-filter.js';
import { meterOf } from './run-meter.js';

/** The options that every backend has. */
export interface LogOptions {
  /** A record every so many batches of an epoch; `false`: none of batches. */
  every?: number | false;
  /** The metrics to log, by name or glob. Default all. */
  metrics?: MetricFilter;
}

export interface LogHookSettings extends LogOptions {
  /** Whether it leaves something behind, and is off in a `fastDevRun`. Default true. */
  writes?: boolean;
}

export const LOG_RULES: { readonly [Name in keyof Required<LogOptions>]: OptionRule } = {
  every: is.either(is.integer({ min: 1 }), is.oneOf(false)),
  metrics: isMetricFilter,
};

/**
 * A hook that hands what happens in a run to a backend, one for each run, which `create` makes. A backend that
 * fails is warned of once and dropped.
 */
export function logHook(
  name: string,
  create: () => LogBackend,
  { every = 100, metrics, writes = true }: LogHookSettings = {},
): Hook {
  let session!: LogSession;
  /** Where the latest fit stands: what follows it, such as a test, begins to count anew. */
  let fitted: { run: string; epoch: number; step: number } | undefined;

  const write = (ctx: HookContext, content: LogContent, at: Partial<LogPosition> = {}): void => {
    const { stage, epoch, step, elapsedSeconds } = ctx.state;
    if (stage === 'fit') fitted = { run: ctx.run.id, epoch, step };
    const position = stage !== 'fit' && fitted?.run === ctx.run.id ? fitted : { epoch, step };
    session.write(ctx, {
      time: Date.now(),
      stage,
      epoch: at.epoch ?? position.epoch,
      step: at.step ?? position.step,
      seconds: Math.round(elapsedSeconds * 1000) / 1000,
      ...content,
    });
  };
  const writeHistograms = (ctx: HookContext): void => {
    if (!session.backend.takesHistograms || !session.isOn) return;
    const histograms = takeHistograms(ctx.shared);
    if (histograms.length > 0) write(ctx, { event: 'histograms', histograms });
  };
  // Asked before the payload is built: a batch without a record reads nothing from the device.
  const isBatchDue = ({ state }: HookContext) =>
    every !== false && session.isOn && (state.batchIndex + 1) % every === 0;

  return {
    name,
    writes,

    setup() {
      session = new LogSession(create(), metrics, (ctx, signal) => write(ctx, { event: 'killed', signal }));
    },

    onTrainStart(ctx, { epochs, batchesPerEpoch }) {
      meterOf(ctx).start(ctx.state);
      write(ctx, { event: 'start', epochs, batchesPerEpoch, resumed: ctx.state.step > 0 });
    },
    onEpochStart(ctx) {
      meterOf(ctx).startEpoch(ctx.state);
      write(ctx, { event: 'epoch-start' });
    },
    onTrainBatchStart(ctx, { batch }) {
      meterOf(ctx).startBatch(ctx.state, batch);
    },
    onTrainBatchEnd: when(isBatchDue, (ctx, event) => write(ctx, batchRecord(ctx, event))),

    onLog(ctx, { scope, epoch, step, values }) {
      write(ctx, { event: 'log', scope, metrics: values }, ctx.state.stage === 'fit' ? { epoch, step } : {});
      writeHistograms(ctx);
    },
    onValidationStart(ctx) {
      meterOf(ctx).pause();
    },
    onValidationEnd(ctx, { metrics }) {
      meterOf(ctx).resume();
      write(ctx, { event: 'validation', metrics });
    },
    onEpochEnd(ctx, { epoch, metrics }) {
      const { seconds, system } = meterOf(ctx).epoch(ctx.state);
      write(ctx, { event: 'epoch', metrics, epochSeconds: seconds, system }, { epoch });
      writeHistograms(ctx);
      session.flush(ctx);
    },
    onTestEnd(ctx, { metrics }) {
      write(ctx, { event: 'test', metrics });
    },
    onTrainEnd(ctx, { status, stopReason, metrics }) {
      write(ctx, { event: 'end', status, stopReason, metrics });
    },
    onException(ctx, { error }) {
      write(ctx, { event: 'error', error });
      session.flush(ctx);
    },

    teardown(ctx) {
      return session.close(ctx);
    },
  };
}

function batchRecord(ctx: HookContext, event: BatchEndEvent): BatchRecord {
  const { optimizers, avgLoss } = ctx.state;
  const { batchesPerSecond, system } = meterOf(ctx).batch(ctx.state);
  const { batchIndex: batch, loaderName: loader, skipped, metrics } = event;
  const numbers = skipped ? {} : { loss: event.loss, avgLoss };
  const lr = learningRates(optimizers);
  return { event: 'batch', batch, loader, skipped, ...numbers, metrics, lr, batchesPerSecond, system };
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type BatchEndEvent,
  defineOptions,
  type Hook,
  type HookContext,
  is,
  type OptionsSchema,
  when,
} from '@hookline/hook-api';
import { type Logger, pino } from 'pino';
import { type Fields, jsonFields } from './json-fields.js';
import { learningRates } from './learning-rates.js';
import { LogFile } from './log-file.js';
import { isMetricFilter, type MetricFilter, metricFilter } from './metric-filter.js';

export interface JsonLogOptions {
  /** A `batch` line every so many batches. Default 100. */
  every?: number;
  /** The metrics to write, by name or glob. Default all. */
  metrics?: MetricFilter;
  /** Default `log.jsonl` in the run's folder. Lines are appended. */
  file?: string;
  /** The lowest level to write: `info` (default) everything, `warn` non-finite numbers, `error` failures. */
  level?: 'info' | 'warn' | 'error';
}

const schema = defineOptions<JsonLogOptions>('json-log', {
  every: is.integer({ min: 1 }),
  metrics: isMetricFilter,
  file: is.string,
  level: is.oneOf('info', 'warn', 'error'),
});

/**
 * Writes the run as JSON lines, one object per event, into the run's folder.
 *
 * @example jsonLog({ every: 10, file: 'logs/train.jsonl' })
 */
export const jsonLog: ((options?: JsonLogOptions) => Hook) & { readonly options: OptionsSchema } =
  Object.assign(createHook, { options: schema });

function createHook(options: JsonLogOptions = {}): Hook {
  schema.check(options);
  const { every = 100, level = 'info' } = options;
  const select = metricFilter(options.metrics);
  let path: string | undefined;
  let file: LogFile | undefined;
  let logger: Logger | undefined;

  /** Opened with the first line: a run that logs nothing leaves no file. */
  const loggerOf = (ctx: HookContext): Logger | undefined => {
    if (logger || path === undefined) return logger;
    file = new LogFile(path, (message) => ctx.logger.warn(message));
    logger = createLogger(file, ctx.run.id, level);
    return logger;
  };
  const write = (ctx: HookContext, event: string, fields: Fields): void => {
    const { json, finite } = jsonFields(fields);
    const severity = finite ? 'info' : 'warn';
    loggerOf(ctx)?.[severity]({ event, ...whereOf(ctx), ...json });
  };

  const writeBatch = (ctx: HookContext, event: BatchEndEvent): void => {
    const { avgLoss, optimizers } = ctx.state;
    const { batchIndex: batch, loaderName: loader, skipped } = event;
    const numbers = skipped ? {} : { loss: event.loss, avgLoss, metrics: select(event.metrics) };
    write(ctx, 'batch', { batch, loader, skipped, ...numbers, lr: learningRates(optimizers) });
  };

  return {
    name: 'json-log',

    setup({ run }) {
      // A trainer that was told to write nothing, or cannot, has no run folder: then there is no log either.
      path = options.file ?? (existsSync(run.dir) ? join(run.dir, 'log.jsonl') : undefined);
    },

    onTrainStart(ctx, { epochs, batchesPerEpoch = null }) {
      const { backend, device, modelParams: parameters } = ctx.state;
      const { seed, configHash, gitCommit } = ctx.run;
      write(ctx, 'start', {
        epochs,
        batchesPerEpoch,
        parameters,
        backend,
        device,
        seed,
        configHash,
        gitCommit,
      });
    },

    // Asked before the payload is built: a batch without a line reads nothing from the device.
    onTrainBatchEnd: when((ctx) => (ctx.state.batchIndex + 1) % every === 0, writeBatch),

    onLog(ctx, { scope, epoch, step, values }) {
      write(ctx, 'log', { epoch, step, scope, metrics: select(values) });
    },
    onValidationEnd(ctx, { epoch, metrics }) {
      write(ctx, 'validation', { epoch, metrics: select(metrics) });
    },
    onEpochEnd(ctx, { epoch, metrics }) {
      write(ctx, 'epoch', { epoch, metrics: select(metrics) });
    },
    onTestEnd(ctx, { metrics }) {
      write(ctx, 'test', { metrics: select(metrics) });
    },
    onTrainEnd(ctx, { status, stopReason = null, metrics }) {
      write(ctx, 'end', { status, stopReason, metrics: select(metrics) });
    },

    onException(ctx, { error }) {
      // Anything can be thrown; the line has the same shape for all of it.
      const shown = error instanceof Error ? error : { message: String(error) };
      loggerOf(ctx)?.error({ event: 'error', ...whereOf(ctx), error: shown });
    },

    async teardown() {
      await file?.close();
      file = logger = undefined;
    },
  };
}

function whereOf({ state }: HookContext): Fields {
  const { epoch, step, elapsedSeconds } = state;
  return { epoch, step, seconds: Math.round(elapsedSeconds * 1000) / 1000 };
}

function createLogger(destination: LogFile, run: string, level: string): Logger {
  return pino(
    {
      level,
      base: { run },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err },
    },
    destination,
  );
}

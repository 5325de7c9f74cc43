import { defineOptions, type Hook, is, type Metrics, type OptionsSchema } from '@hookline/hook-api';
import { type Logger, pino } from 'pino';
import { type Fields, jsonFields } from './json-fields.js';
import type { BatchRecord, LogBackend, LogRecord, LogRun } from './log-backend.js';
import { LogFile, PLAIN_LINES } from './log-file.js';
import { LOG_RULES, type LogOptions, logHook } from './log-hook.js';
import { pathInRun } from './run-path.js';

export interface JsonLogOptions extends LogOptions {
  /** Default `log.jsonl` in the run's folder. Lines are appended. */
  file?: string;
  /** The lowest level to write: `info` (default) everything, `warn` non-finite numbers and signals, `error` failures. */
  level?: 'info' | 'warn' | 'error';
}

const schema = defineOptions<JsonLogOptions>('json-log', {
  ...LOG_RULES,
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
  return logHook('json-log', () => new JsonBackend(options), options);
}

class JsonBackend implements LogBackend {
  #run: LogRun | undefined;
  #file: LogFile<string> | undefined;
  #logger: Logger | undefined;

  constructor(private readonly options: JsonLogOptions) {}

  open(run: LogRun): void {
    this.#run = run;
    const path = this.options.file ?? pathInRun(run.ctx.run, 'log.jsonl');
    if (path === undefined) return;
    this.#file = new LogFile(path, PLAIN_LINES, run);
    this.#logger = createLogger(this.#file, run.ctx.run.id, this.options.level ?? 'info');
  }

  write(record: LogRecord): void {
    const { epoch, step, seconds } = record;
    if (record.event === 'error') {
      // Anything can be thrown; the line has the same shape for all of it.
      const error = record.error instanceof Error ? record.error : { message: String(record.error) };
      this.#logger?.error({ event: 'error', epoch, step, seconds, error });
      return;
    }
    const fields = fieldsOf(record, this.#run!);
    if (!fields) return;
    const { json, finite } = jsonFields(fields);
    const level = finite && record.event !== 'killed' ? 'info' : 'warn';
    this.#logger?.[level]({ event: record.event, epoch, step, seconds, ...json });
  }

  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

/** The fields of a line; none for events that have no line. */
function fieldsOf(record: LogRecord, { ctx, select }: LogRun): Fields | undefined {
  switch (record.event) {
    case 'start': {
      const { epochs, batchesPerEpoch = null } = record;
      const { backend, device, modelParams: parameters } = ctx.state;
      const { seed, configHash, gitCommit } = ctx.run;
      return { epochs, batchesPerEpoch, parameters, backend, device, seed, configHash, gitCommit };
    }
    case 'batch':
      return batchFields(record, select);
    case 'epoch':
      return { metrics: select(record.metrics), system: select(record.system) };
    case 'log':
      return { scope: record.scope, metrics: select(record.metrics) };
    case 'end': {
      const { status, stopReason = null, metrics } = record;
      return { status, stopReason, metrics: select(metrics) };
    }
    case 'killed':
      return { signal: record.signal };
    case 'validation':
    case 'test':
      return { metrics: select(record.metrics) };
    default:
      return undefined;
  }
}

function batchFields(record: BatchRecord, select: (metrics: Metrics) => Metrics): Fields {
  const { batch, loader, skipped, loss, avgLoss, metrics, lr, system } = record;
  const numbers = skipped ? {} : { loss, avgLoss, metrics: select(metrics) };
  return { batch, loader, skipped, ...numbers, lr, system: select(system) };
}

function createLogger(file: LogFile<string>, run: string, level: string): Logger {
  return pino(
    {
      level,
      base: { run },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err },
    },
    file,
  );
}

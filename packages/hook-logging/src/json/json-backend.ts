import { createLogger, type JsonLogger } from '#host';
import { LogFile, PLAIN_LINES } from '../file/log-file.js';
import { pathInRun, stemOf } from '../file/run-path.js';
import type { LogBackend, LogRun } from '../session/log-backend.js';
import type { LogRecord, RecordOf } from '../session/log-record.js';
import { finiteFields } from './finite-fields.js';
import type { JsonLogOptions } from './options.js';
import { fieldsOf } from './record-fields.js';

/** Writes a line for each record, and one for each histogram. */
export class JsonBackend implements LogBackend {
  readonly takesHistograms = true;
  #run!: LogRun;
  #file: LogFile<string> | undefined;
  #logger: JsonLogger | undefined;

  constructor(private readonly options: Pick<JsonLogOptions, 'file' | 'level'>) {}

  open(run: LogRun): void {
    this.#run = run;
    const { hook, run: info } = run.ctx;
    const path = this.options.file ?? pathInRun(info, `${stemOf(hook, 'json-log', 'log')}.jsonl`);
    if (path === undefined) return;
    this.#file = new LogFile(path, PLAIN_LINES, run);
    this.#logger = createLogger(this.#file, info.id, this.options.level ?? 'info');
  }

  write(record: LogRecord): void {
    if (record.event === 'error') this.#writeError(record);
    else if (record.event === 'histograms') this.#writeHistograms(record);
    else this.#writeFields(record);
  }

  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  #writeFields(record: LogRecord): void {
    const fields = fieldsOf(record, this.#run);
    if (!fields) return;
    const { event, epoch, step, seconds } = record;
    const { json, allFinite } = finiteFields(fields);
    const level = allFinite && event !== 'killed' && event !== 'warning' ? 'info' : 'warn';
    this.#logger?.[level]({ event, epoch, step, seconds, ...json });
  }

  /** Lines of their own: what is measured of one parameter is long, and most readers of the log pass over it. */
  #writeHistograms({ epoch, seconds, histograms }: RecordOf<'histograms'>): void {
    for (const { name, step, ...numbers } of histograms) {
      if (!(name in this.#run.select({ [name]: 0 }))) continue;
      this.#logger?.info({ event: 'histogram', epoch, step, seconds, name, ...numbers });
    }
  }

  /** Anything can be thrown; the line has the same shape for all of it. */
  #writeError({ epoch, step, seconds, error: thrown }: RecordOf<'error'>): void {
    const error = thrown instanceof Error ? thrown : { message: String(thrown) };
    this.#logger?.error({ event: 'error', epoch, step, seconds, error });
  }
}

import { defineOptions, type Hook, is, type OptionsSchema } from '@hookline/hook-api';
import { CsvFormat, type CsvRow } from './csv-format.js';
import type { LogBackend, LogRecord, LogRun } from './log-backend.js';
import { LogFile } from './log-file.js';
import { LOG_RULES, type LogOptions, logHook } from './log-hook.js';
import { pathInRun } from './run-path.js';
import { seriesOf } from './series.js';

export interface CsvLogOptions extends LogOptions {
  /** Default `log.csv` in the run's folder. Rows are appended. */
  file?: string;
}

const schema = defineOptions<CsvLogOptions>('csv-log', { ...LOG_RULES, file: is.string });

/**
 * Writes the numbers of a run as a table, a row for each event that has any.
 *
 * @example csvLog({ every: 10, metrics: ['*\/loss'] })
 */
export const csvLog: ((options?: CsvLogOptions) => Hook) & { readonly options: OptionsSchema } =
  Object.assign(createHook, { options: schema });

function createHook(options: CsvLogOptions = {}): Hook {
  schema.check(options);
  return logHook('csv-log', () => new CsvBackend(options.file), options);
}

class CsvBackend implements LogBackend {
  #run: LogRun | undefined;
  #file: LogFile<CsvRow> | undefined;

  constructor(private readonly path: string | undefined) {}

  open(run: LogRun): void {
    this.#run = run;
    const path = this.path ?? pathInRun(run.ctx.run, 'log.csv');
    if (path === undefined)
      run.fail('csv-log has nowhere to write to: the run has no folder. Give it a file');
    else this.#file = new LogFile(path, new CsvFormat(), run);
  }

  write(record: LogRecord): void {
    const { select, ctx } = this.#run!;
    const { time, event, epoch, step, seconds } = record;
    const metrics = select(seriesOf(record, ctx.metrics));
    const names = Object.keys(metrics);
    if (names.length === 0) return;
    const fixed = [new Date(time).toISOString(), ctx.run.id, event, epoch, step, seconds];
    this.#file?.write({ fixed, metrics, length: 80 + 20 * names.length });
  }

  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

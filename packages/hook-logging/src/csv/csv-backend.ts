import { LogFile } from '../file/log-file.js';
import { pathInRun, stemOf } from '../file/run-path.js';
import { seriesOf } from '../series/series.js';
import type { LogBackend, LogRun } from '../session/log-backend.js';
import type { LogRecord, RecordOf } from '../session/log-record.js';
import { HistogramTable, histogramPath, histogramRows } from './histogram-table.js';
import { type MetricRow, MetricTable } from './metric-table.js';

/** Two tables: the numbers of each event, and beside them the histograms, as soon as there is one. */
export class CsvBackend implements LogBackend {
  readonly takesHistograms = true;
  #run!: LogRun;
  #metrics: LogFile<MetricRow> | undefined;
  #histograms: LogFile<string> | undefined;
  #histogramPath = '';

  constructor(private readonly path: string | undefined) {}

  open(run: LogRun): void {
    this.#run = run;
    const { hook, run: info } = run.ctx;
    const path = this.path ?? pathInRun(info, `${stemOf(hook, 'csv-log', 'log')}.csv`);
    if (path === undefined) {
      run.fail(`${hook} has nowhere to write: the run has no folder. Give it a "file"`);
      return;
    }
    this.#metrics = new LogFile(path, new MetricTable(), run);
    this.#histogramPath = histogramPath(path);
  }

  write(record: LogRecord): void {
    if (record.event === 'histograms') this.#writeHistograms(record);
    else this.#writeMetrics(record);
  }

  async flush(): Promise<void> {
    await Promise.all([this.#metrics?.flush(), this.#histograms?.flush()]);
  }

  async close(): Promise<void> {
    await Promise.all([this.#metrics?.close(), this.#histograms?.close()]);
  }

  #writeMetrics(record: LogRecord): void {
    const { select, ctx } = this.#run;
    const { time, epoch, step, seconds } = record;
    const metrics = select(seriesOf(record, ctx.metrics));
    const names = Object.keys(metrics);
    if (names.length === 0) return;
    const fixed = [new Date(time).toISOString(), ctx.run.id, nameOf(record), epoch, step, seconds];
    this.#metrics?.write({ fixed, metrics, length: 80 + 20 * names.length });
  }

  #writeHistograms(record: RecordOf<'histograms'>): void {
    const { select, ctx } = this.#run;
    this.#histograms ??= new LogFile(this.#histogramPath, new HistogramTable(), this.#run);
    for (const histogram of record.histograms) {
      if (!(histogram.name in select({ [histogram.name]: 0 }))) continue;
      this.#histograms.write(histogramRows(histogram, { ...record, run: ctx.run.id }));
    }
  }
}

/** What the column `event` says: whoever selects epochs gets whole ones. */
function nameOf(record: LogRecord): string {
  return record.event === 'epoch' && record.cutShort ? 'epoch-cut-short' : record.event;
}

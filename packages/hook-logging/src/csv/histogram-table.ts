import type { Histogram } from '@hookline/hook-api/helpers';
import type { LogFormat } from '../file/log-file.js';
import { csvLine, readHeader } from './csv-text.js';

const COLUMNS = ['time', 'run', 'epoch', 'step', 'name', 'left', 'right', 'count'] as const;

/** Beside the table of metrics: `log.csv` has its histograms in `log-histograms.csv`. */
export function histogramPath(path: string): string {
  return path.replace(/(\.csv)?$/i, (end) => `-histograms${end || '.csv'}`);
}

/** A row per bucket, in the long form that pandas and spreadsheets group and pivot. */
export function histogramRows(
  { name, step, edges, counts }: Histogram,
  { time, run, epoch }: { time: number; run: string; epoch: number },
): string {
  const moment = new Date(time).toISOString();
  return counts
    .map((count, i) => csvLine([moment, run, epoch, step, name, edges[i]!, edges[i + 1]!, count]))
    .join('');
}

/** Rows as they are, below one header. */
export class HistogramTable implements LogFormat<string> {
  readonly isText = true;
  #isKnown = false;

  encode(rows: readonly string[], isEmpty: boolean): string {
    this.#isKnown ||= isEmpty;
    return (isEmpty ? csvLine(COLUMNS) : '') + rows.join('');
  }

  /** Changes nothing, but looks once: rows are never appended to somebody else's file. */
  rewrite(): ((content: string) => string) | undefined {
    if (this.#isKnown) return undefined;
    return (content) => {
      readHeader(content, COLUMNS);
      this.#isKnown = true;
      return content;
    };
  }
}

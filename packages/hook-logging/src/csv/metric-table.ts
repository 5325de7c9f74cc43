import type { LogFormat } from '../file/log-file.js';
import { csvLine, readHeader } from './csv-text.js';

/** The first columns of every table. */
const FIXED_COLUMNS = ['time', 'run', 'event', 'epoch', 'step', 'seconds'] as const;

/** A row: the fixed fields, and metrics by name. */
export interface MetricRow {
  readonly fixed: readonly (string | number)[];
  readonly metrics: Readonly<Record<string, number>>;
  /** Roughly, in bytes. */
  readonly length: number;
}

/**
 * A table with a column for every metric that was ever logged. When a new one appears, the header and the rows so
 * far get it too: every row has as many fields as the header at any time.
 */
export class MetricTable implements LogFormat<MetricRow> {
  readonly isText = true;
  /** The metrics in the header of the file; undefined: not known yet. */
  #columns: readonly string[] | undefined;

  encode(rows: readonly MetricRow[], isEmpty: boolean): string {
    if (isEmpty) this.#columns = namesIn(rows);
    const columns = this.#columns ?? [];
    const header = isEmpty ? csvLine([...FIXED_COLUMNS, ...columns]) : '';
    return (
      header + rows.map(({ fixed, metrics }) => csvLine([...fixed, ...fieldsOf(metrics, columns)])).join('')
    );
  }

  rewrite(rows: readonly MetricRow[]): ((content: string) => string) | undefined {
    const names = namesIn(rows);
    if (this.#columns && missing(names, this.#columns).length === 0) return undefined;
    return (content) => {
      const { columns: all, end } = readHeader(content, FIXED_COLUMNS);
      const columns = all.slice(FIXED_COLUMNS.length);
      const added = missing(names, columns);
      // Known when a look into the file has found all of them, not before: a change may never reach the disk.
      if (added.length === 0) {
        this.#columns = columns;
        return content;
      }
      const header = csvLine([...FIXED_COLUMNS, ...columns, ...added]);
      // No field of a row holds a line break, only names in the header can.
      return header + content.slice(end).replaceAll('\n', `${','.repeat(added.length)}\n`);
    };
  }
}

function namesIn(rows: readonly MetricRow[]): string[] {
  return [...new Set(rows.flatMap(({ metrics }) => Object.keys(metrics)))];
}

function missing(names: readonly string[], columns: readonly string[]): string[] {
  const known = new Set(columns);
  return names.filter((name) => !known.has(name));
}

function fieldsOf(metrics: MetricRow['metrics'], columns: readonly string[]): (number | '')[] {
  return columns.map((name) => metrics[name] ?? '');
}

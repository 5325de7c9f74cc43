import type { LogFormat } from './log-file.js';

/** What every row begins with. */
const FIXED_COLUMNS = ['time', 'run', 'event', 'epoch', 'step', 'seconds'] as const;

/** A row: the fixed fields, and metrics by name. */
export interface CsvRow {
  readonly fixed: readonly (string | number)[];
  readonly metrics: Readonly<Record<string, number>>;
  /** Roughly, in bytes. */
  readonly length: number;
}

/**
 * A table with a column for every metric that was ever logged. When a new one appears the header and the rows so
 * far get it, too: every row has as many fields as the header at any time.
 */
export class CsvFormat implements LogFormat<CsvRow> {
  readonly isText = true;
  /** The metrics in the header of the file; undefined: not known yet. */
  #columns: readonly string[] | undefined;

  encode(rows: readonly CsvRow[], isEmpty: boolean): string {
    if (isEmpty) this.#columns = namesIn(rows);
    const columns = this.#columns ?? [];
    const header = isEmpty ? line([...FIXED_COLUMNS, ...columns]) : '';
    return (
      header + rows.map(({ fixed, metrics }) => line([...fixed, ...fieldsOf(metrics, columns)])).join('')
    );
  }

  rewrite(rows: readonly CsvRow[]): ((content: string) => string) | undefined {
    const names = namesIn(rows);
    if (this.#columns && missing(names, this.#columns).length === 0) return undefined;
    return (content) => {
      const { columns, end } = readHeader(content);
      const added = missing(names, columns);
      // Known when a look into the file has found all of them, not before: a change may never reach the disk.
      if (added.length === 0) {
        this.#columns = columns;
        return content;
      }
      const header = line([...FIXED_COLUMNS, ...columns, ...added]);
      // No field of a row holds a line break, only names in the header can.
      return header + content.slice(end).replaceAll('\n', `${','.repeat(added.length)}\n`);
    };
  }
}

function namesIn(rows: readonly CsvRow[]): string[] {
  return [...new Set(rows.flatMap(({ metrics }) => Object.keys(metrics)))];
}

function missing(names: readonly string[], columns: readonly string[]): string[] {
  const known = new Set(columns);
  return names.filter((name) => !known.has(name));
}

function fieldsOf(metrics: CsvRow['metrics'], columns: readonly string[]): (number | '')[] {
  return columns.map((name) => metrics[name] ?? '');
}

function line(fields: readonly (string | number)[]): string {
  return `${fields.map((field) => quoted(String(field))).join(',')}\n`;
}

/** As RFC 4180 has it. */
function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** The metrics that a file has columns for, and where its rows begin. */
function readHeader(content: string): { columns: string[]; end: number } {
  const fields: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  for (let match = field.exec(content); match; match = field.exec(content)) {
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
    if (match[3] !== ',') break;
  }
  const columns = fields.slice(FIXED_COLUMNS.length);
  if (FIXED_COLUMNS.some((name, index) => fields[index] !== name)) {
    throw new Error('it is not a file that csv-log began. Name another one, or move it away');
  }
  return { columns, end: field.lastIndex };
}

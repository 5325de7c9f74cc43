import { csvPath, readBytes } from '#host';
import { dataError } from '../errors.js';
import type { SampleStream } from '../loaders/sample-loader.js';
import { CsvColumns } from './csv-columns.js';
import { type CsvOptions, checkCsvOptions } from './csv-options.js';
import { CsvParser, type CsvRow } from './csv-parser.js';
import type { NumberRows, RowValues } from './number-rows.js';

const CSV: unique symbol = Symbol.for('hookline.csv');

/** A CSV file as data. */
export interface CsvSource {
  readonly [CSV]: true;
  readonly file: string;
  /** For the loader. */
  stream(): SampleStream<RowValues>;
}

/**
 * The rows of a CSV file (RFC 4180, UTF-8; gzip when its name ends in `.gz`). It is read in pieces as rows are needed,
 * and again in each epoch.
 */
export function csv(file: string | URL, options: CsvOptions = {}): CsvSource {
  checkCsvOptions(options);
  const path = csvPath(file);
  return {
    [CSV]: true,
    file: path,
    stream: () => {
      let columns: CsvColumns | undefined;
      return {
        open: () =>
          readRows(path, options, (found) => {
            columns = found;
          }),
        collate: (rows) => columns!.tableOf(rows),
        owned: true,
        count: undefined,
        nothing: () => dataError('BAD_DATA', `${path} has no rows.`),
      };
    },
  };
}

export function isCsv(source: unknown): source is CsvSource {
  return typeof source === 'object' && source !== null && CSV in source;
}

async function* readRows(
  path: string,
  options: CsvOptions,
  onColumns: (columns: CsvColumns) => void,
): AsyncGenerator<RowValues[], void> {
  const { header = true, delimiter = ',' } = options;
  const parser = new CsvParser(path, delimiter);
  let columns: CsvColumns | undefined;
  let plain: NumberRows | undefined;
  const valuesOf = (rows: CsvRow[]): RowValues[] => {
    const [first] = rows;
    if (!first) return [];
    if (!columns) {
      const names =
        header === true
          ? first.cells.map((cell) => cell.trim())
          : header || first.cells.map((_, index) => String(index));
      columns = new CsvColumns(path, names, options);
      plain = columns.numberRows(delimiter);
      onColumns(columns);
      if (header === true) rows.shift();
    }
    const known = columns;
    return rows.map((row) => known.valuesOf(row));
  };
  const split = (text: string): RowValues[] => {
    const found: RowValues[] = [];
    for (let at = 0; at < text.length; ) {
      const values = parser.isBetweenRows ? plain?.read(text, at) : undefined;
      if (values) {
        found.push(values);
        parser.passLine();
        at = plain!.end;
        continue;
      }
      // One line at a time: plain rows may follow it.
      const end = text.indexOf('\n', at) + 1 || text.length;
      found.push(...valuesOf(parser.push(text.slice(at, end))));
      at = end;
    }
    return found;
  };
  // Also removes a byte order mark.
  const decoder = new TextDecoder();
  for await (const bytes of readBytes(path)) yield split(decoder.decode(bytes, { stream: true }));
  yield split(decoder.decode());
  yield valuesOf(parser.end());
}

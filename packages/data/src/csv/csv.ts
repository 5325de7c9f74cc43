import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { checkKeys } from '@hookline/hook-api/helpers';
import { dataError } from '../errors.js';
import type { SampleStream } from '../loaders/sample-loader.js';
import { CsvColumns, type RowValues } from './csv-columns.js';
import { CsvParser, type CsvRow } from './csv-parser.js';

export interface CsvOptions {
  /** Columns that are the targets (ys), in this order. */
  labels?: string | readonly string[];
  /** Columns that are the inputs (xs), in this order; all others when absent. */
  features?: readonly string[];
  /** The column of the sample weights. */
  weights?: string;
  /** `true` (default): the first row has the names. `false`: they are '0', '1' and so on. A list: these are the names. */
  header?: boolean | readonly string[];
  /** One character, a comma when absent. */
  delimiter?: string;
  /** For columns of text, their values: each becomes its place in the list. */
  classes?: Readonly<Record<string, readonly string[]>>;
  /** What an empty cell counts as; an error when absent. */
  missing?: number;
  /** Of the features, `float32` when absent. */
  dtype?: 'float32' | 'int32';
  /** Of the labels, `float32` when absent. */
  labelDtype?: 'float32' | 'int32';
}

const CSV: unique symbol = Symbol.for('hookline.csv');

/** A CSV file as data. */
export interface CsvSource {
  readonly [CSV]: true;
  readonly file: string;
  /** For the loader. */
  stream(): SampleStream<RowValues>;
}

/**
 * The rows of a CSV file (RFC 4180, UTF-8; compressed when its name ends in `.gz`). It is read as it is needed, a piece
 * at a time, anew in each epoch.
 */
export function csv(file: string | URL, options: CsvOptions = {}): CsvSource {
  checkOptions(options);
  const path = typeof file === 'string' ? file : fileURLToPath(file);
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
  const { header = true } = options;
  let columns: CsvColumns | undefined;
  for await (const rows of splitRows(path, options.delimiter ?? ',')) {
    const [first] = rows;
    if (!first) continue;
    if (!columns) {
      const names =
        header === true
          ? first.cells.map((cell) => cell.trim())
          : header || first.cells.map((_, index) => String(index));
      columns = new CsvColumns(path, names, options);
      onColumns(columns);
      if (header === true) rows.shift();
    }
    const known = columns;
    yield rows.map((row) => known.valuesOf(row));
  }
}

async function* splitRows(path: string, delimiter: string): AsyncGenerator<CsvRow[], void> {
  const parser = new CsvParser(path, delimiter);
  // Takes a byte order mark off, too.
  const decoder = new TextDecoder();
  for await (const bytes of readFile(path)) yield parser.push(decoder.decode(bytes, { stream: true }));
  yield parser.push(decoder.decode());
  yield parser.end();
}

async function* readFile(path: string): AsyncGenerator<Uint8Array, void> {
  const file = createReadStream(path);
  // Errors of either are the last one's, and destroying the last destroys both.
  const stream: Readable = path.endsWith('.gz') ? pipeline(file, createGunzip(), () => {}) : file;
  try {
    for await (const bytes of stream) yield bytes as Uint8Array;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? 'There is no such file.' : message;
    throw dataError('BAD_DATA', `${path} cannot be read: ${what}`, error);
  }
}

function checkOptions(options: CsvOptions): void {
  checkKeys(
    options,
    ['labels', 'features', 'weights', 'header', 'delimiter', 'classes', 'missing', 'dtype', 'labelDtype'],
    'csv()',
  );
  const { delimiter = ',' } = options;
  if (delimiter.length !== 1 || '"\r\n'.includes(delimiter)) {
    throw dataError(
      'BAD_OPTIONS',
      `csv(): delimiter is ${JSON.stringify(delimiter)}, expected one character that is neither a quote nor a line break.`,
    );
  }
  for (const key of ['dtype', 'labelDtype'] as const) {
    const type = options[key];
    if (type === undefined || type === 'float32' || type === 'int32') continue;
    throw dataError('BAD_OPTIONS', `csv(): ${key} is "${type}", expected "float32" or "int32".`);
  }
}

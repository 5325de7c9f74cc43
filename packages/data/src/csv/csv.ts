import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { dataError } from '../errors.js';
import type { SampleStream } from '../loaders/sample-loader.js';
import { CsvColumns, type RowValues } from './csv-columns.js';
import { type CsvOptions, checkCsvOptions } from './csv-options.js';
import { CsvParser, type CsvRow } from './csv-parser.js';

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
  const path = pathOf(file);
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

function pathOf(file: string | URL): string {
  if (file instanceof URL && file.protocol === 'file:') return fileURLToPath(file);
  if (typeof file === 'string' && file !== '' && !/^https?:/.test(file)) return file;
  throw dataError(
    'BAD_OPTIONS',
    `csv() was given ${JSON.stringify(String(file))}, expected the path of a file on this machine: csv('data.csv', { labels: 'price' }).`,
  );
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
  // Also removes a byte order mark.
  const decoder = new TextDecoder();
  for await (const bytes of readFile(path)) yield parser.push(decoder.decode(bytes, { stream: true }));
  yield parser.push(decoder.decode());
  yield parser.end();
}

async function* readFile(path: string): AsyncGenerator<Uint8Array, void> {
  const file = createReadStream(path);
  // Errors of both streams arrive at the last one, and destroying it destroys both.
  const stream: Readable = path.endsWith('.gz') ? pipeline(file, createGunzip(), () => {}) : file;
  try {
    for await (const bytes of stream) yield bytes as Uint8Array;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? 'There is no such file.' : message;
    throw dataError('BAD_DATA', `${path} cannot be read: ${what}`, error);
  }
}

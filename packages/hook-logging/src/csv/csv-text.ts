import { loggingError } from '../errors.js';

/** One line of a table, with its line break. */
export function csvLine(fields: readonly (string | number)[]): string {
  return `${fields.map((field) => quoted(String(field))).join(',')}\n`;
}

/** The columns of a table that begins with these, and where its rows begin; refuses any other file. */
export function readHeader(content: string, first: readonly string[]): { columns: string[]; end: number } {
  const columns: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  for (let match = field.exec(content); match; match = field.exec(content)) {
    columns.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
    if (match[3] !== ',') break;
  }
  if (first.some((name, index) => columns[index] !== name)) {
    throw loggingError(
      'LOG_FILE',
      'csv-log did not write this file. Choose another name, or move the file away',
    );
  }
  return { columns, end: field.lastIndex };
}

/** As in RFC 4180. */
function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

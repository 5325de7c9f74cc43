import { dataError } from '../errors.js';

/** One row of a CSV file as text, with the line it starts on. */
export interface CsvRow {
  line: number;
  cells: string[];
}

/** Longer than any row of numbers. Without a limit, an unclosed quote would read the whole file into memory. */
const MAX_ROW_LENGTH = 16 * 2 ** 20;

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/**
 * Splits CSV text (RFC 4180) that arrives in pieces, wherever they were cut. Quoted cells may hold delimiters, line
 * breaks and doubled quotes. Empty lines are skipped.
 */
export class CsvParser {
  readonly #file: string;
  readonly #delimiter: number;
  /** Where in a cell the last piece ended. `closed`: after a quote that either ends the cell or is the first of two. */
  #state: 'start' | 'plain' | 'quoted' | 'closed' | 'cr' = 'start';
  #line = 1;
  #rowLine = 1;
  #rowLength = 0;
  #cells: string[] = [];
  /** The part of the current cell that earlier pieces held. */
  #cell = '';

  constructor(file: string, delimiter: string) {
    this.#file = file;
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** Whether the next piece begins with a new row. */
  get isBetweenRows(): boolean {
    return this.#state === 'start' && this.#cells.length === 0;
  }

  /** Counts a line that was read by somebody else. */
  passLine(): void {
    this.#line++;
    this.#rowLine = this.#line;
  }

  /** The rows that this piece completes. */
  push(text: string): CsvRow[] {
    const rows: CsvRow[] = [];
    let state = this.#state;
    let rowStart = 0;
    let cellStart = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (state === 'quoted') {
        if (code === LF) this.#line++;
        if (code !== QUOTE) continue;
        this.#cell += text.slice(cellStart, at);
        state = 'closed';
      } else if (code === this.#delimiter && state !== 'cr') {
        this.#endCell(state === 'plain' ? text.slice(cellStart, at) : '');
        state = 'start';
      } else if (code === LF || code === CR) {
        if (state === 'cr' && code === CR) throw this.#error('a carriage return alone is not a line break');
        // A line with nothing on it has no cell.
        if (state !== 'cr' && (state !== 'start' || this.#cells.length > 0)) {
          this.#endCell(state === 'plain' ? text.slice(cellStart, at) : '');
        }
        state = code === CR ? 'cr' : 'start';
        if (code === CR) continue;
        this.#line++;
        this.#endRow(rows);
        rowStart = at + 1;
      } else if (state === 'start') {
        state = code === QUOTE ? 'quoted' : 'plain';
        cellStart = code === QUOTE ? at + 1 : at;
      } else if (code === QUOTE && state === 'closed') {
        this.#cell += '"';
        state = 'quoted';
        cellStart = at + 1;
      } else if (state === 'closed')
        throw this.#error('there is text after a quoted cell; double the quotes within it');
      else if (state === 'cr') throw this.#error('a carriage return alone is not a line break');
      else if (code === QUOTE) throw this.#error('there is a quote within a cell that is not quoted');
    }
    if (state === 'plain' || state === 'quoted') this.#cell += text.slice(cellStart);
    this.#state = state;
    this.#rowLength += text.length - rowStart;
    if (this.#rowLength > MAX_ROW_LENGTH) throw this.#error('the row is too long; a quote may be unclosed');
    return rows;
  }

  /** The last row, when no line break follows it. */
  end(): CsvRow[] {
    const rows: CsvRow[] = [];
    if (this.#state === 'quoted') throw this.#error('a quote is not closed');
    if (this.#state !== 'cr' && (this.#state !== 'start' || this.#cells.length > 0)) this.#endCell('');
    this.#endRow(rows);
    return rows;
  }

  #endCell(rest: string): void {
    this.#cells.push(this.#cell + rest);
    this.#cell = '';
  }

  #endRow(rows: CsvRow[]): void {
    if (this.#cells.length > 0) rows.push({ line: this.#rowLine, cells: this.#cells });
    this.#cells = [];
    this.#rowLine = this.#line;
    this.#rowLength = 0;
  }

  #error(what: string): Error {
    return dataError(
      'BAD_DATA',
      `${this.#file}, line ${this.#line}: ${what} (the row starts on line ${this.#rowLine}). Expected CSV as in RFC 4180.`,
    );
  }
}

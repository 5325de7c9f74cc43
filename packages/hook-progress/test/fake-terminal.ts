import { EventEmitter } from 'node:events';
import type { ProgressStream } from '../src/terminal.js';

/** A terminal that understands what a live line uses, so that tests can look at its screen. */
export class FakeTerminal extends EventEmitter implements ProgressStream {
  isTTY = true;
  rows: string[] = [''];
  cursor = { row: 0, column: 0 };
  cursorVisible = true;
  written: string[] = [];

  constructor(public columns = 100) {
    super();
  }

  /** The rows that are not empty. */
  get screen(): string[] {
    return this.rows.map((row) => row.trimEnd()).filter(Boolean);
  }

  write(text: string): boolean {
    this.written.push(text);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this reads.
    for (const [token, up] of text.matchAll(/\x1b\[(?:(\d+)A|\?25[hl]|[KJ])|./gsu)) this.#apply(token, up);
    return true;
  }

  /** Changes the width; the rows are broken anew, as terminals do. */
  resize(columns: number): void {
    const text = this.rows.join('\n');
    const { row, column } = this.cursor;
    this.columns = columns;
    const broken = this.rows.map((each) => each.match(new RegExp(`.{1,${columns}}`, 'gu')) ?? ['']);
    this.rows = broken.flat();
    const before = broken.slice(0, row).flat().length;
    this.cursor = { row: before + Math.max(0, Math.ceil(column / columns) - 1), column: column % columns };
    if (text !== '') this.emit('resize');
  }

  #apply(token: string, up: string | undefined): void {
    const { cursor, rows } = this;
    if (up !== undefined) cursor.row -= Number(up);
    else if (token === '\x1b[?25h') this.cursorVisible = true;
    else if (token === '\x1b[?25l') this.cursorVisible = false;
    else if (token === '\r') cursor.column = 0;
    else if (token === '\n') this.#newLine();
    else if (token === '\x1b[K') rows[cursor.row] = rows[cursor.row]!.slice(0, cursor.column);
    else if (token === '\x1b[J') rows.splice(cursor.row, Infinity, rows[cursor.row]!.slice(0, cursor.column));
    else this.#put(token);
  }

  #newLine(): void {
    this.cursor = { row: this.cursor.row + 1, column: 0 };
    if (this.cursor.row === this.rows.length) this.rows.push('');
  }

  #put(character: string): void {
    if (this.cursor.column === this.columns) this.#newLine();
    const { row, column } = this.cursor;
    const line = [...this.rows[row]!.padEnd(column)];
    line[column] = character;
    this.rows[row] = line.join('');
    this.cursor.column++;
  }
}

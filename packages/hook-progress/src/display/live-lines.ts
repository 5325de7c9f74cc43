import { type LiveTerminal, TIDIES_UP, writeOutput } from '@hookline/hook-api/helpers';
import { processEvents } from '@hookline/host';
import { textWidth } from '../line/text-width.js';
import type { Breaking, ProgressStream } from './terminal.js';

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const ERASE_LINE = '\x1b[2K';
const ERASE_REST_OF_LINE = '\x1b[K';
const ERASE_BELOW = '\x1b[J';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Lines at the bottom of a terminal that are drawn over and over. The cursor is hidden while they are there. */
export class LiveLines implements LiveTerminal {
  readonly #stream: ProgressStream;
  #render: ((columns: number) => string[]) | undefined;
  /** What is on the screen. The cursor is behind the last of them. */
  #drawn: readonly string[] = [];
  /** How wide the terminal was when they were drawn. */
  #drawnColumns = 0;
  #open = false;

  constructor(
    stream: ProgressStream,
    private readonly breaking: Breaking,
  ) {
    this.#stream = stream;
  }

  /** A frame is one write, over the one before: nothing is gone for a moment. */
  draw(render: (columns: number) => string[]): void {
    this.#render = render;
    this.#begin();
    const columns = this.#columns;
    const lines = render(columns);
    if (String(lines) === String(this.#drawn) && columns === this.#drawnColumns) return;
    const isBroken = this.#rows() > this.#drawn.length;
    const start = isBroken ? this.#erasing() : this.#toStart();
    const end = lines.length < this.#drawn.length ? ERASE_BELOW : ERASE_REST_OF_LINE;
    this.#write(`${start}${lines.join(`${ERASE_REST_OF_LINE}\n`)}${end}`);
    this.#drawn = lines;
    this.#drawnColumns = columns;
  }

  above(write: () => void): void {
    this.#erase();
    write();
    if (this.#open && this.#render) this.draw(this.#render);
  }

  /** Leaves a line for good; the live lines are drawn again below it. */
  leave(render: (columns: number) => string): void {
    // In one piece: a line that is gone for a moment flickers.
    this.#write(`${this.#drawn.length > 0 ? this.#erasing() : ''}${render(this.#columns)}\n`);
    this.#drawn = [];
  }

  /** Takes the lines away and shows the cursor again. */
  end(): void {
    if (!this.#open) return;
    this.#erase();
    this.#showCursor();
    this.#open = false;
    this.#render = undefined;
    this.#stream.off?.('resize', this.#redraw);
    processEvents.off('exit', this.#showCursor);
    for (const signal of SIGNALS) processEvents.off(signal, this.#onSignal);
  }

  #write(text: string): void {
    writeOutput(this.#stream, text);
  }

  #begin(): void {
    if (this.#open) return;
    this.#open = true;
    this.#write(HIDE_CURSOR);
    this.#stream.on?.('resize', this.#redraw);
    // However the process ends, the cursor must come back.
    processEvents.on('exit', this.#showCursor);
    for (const signal of SIGNALS) processEvents.on(signal, this.#onSignal);
  }

  get #columns(): number {
    return this.#stream.columns || 80;
  }

  /** How many rows the lines take: a terminal that was made narrower may have broken them. */
  #rows(): number {
    const columns = this.#columns;
    const last = this.#drawn.length - 1;
    const rowsOf = (line: string, index: number) => {
      const isWhole = this.breaking === 'none' || (this.breaking === 'above-cursor' && index === last);
      return isWhole ? 1 : Math.max(1, Math.ceil(textWidth(line) / columns));
    };
    return this.#drawn.map(rowsOf).reduce((sum, rows) => sum + rows, 0);
  }

  #toStart(): string {
    const up = this.#rows() - 1;
    return up > 0 ? `\x1b[${up}A\r` : '\r';
  }

  /** Row by row: when tmux is told to erase all below the top of the screen, it moves what is there to its history. */
  #erasing(): string {
    return `\r${ERASE_LINE}${`\x1b[A${ERASE_LINE}`.repeat(this.#rows() - 1)}`;
  }

  #erase(): void {
    if (this.#drawn.length > 0) this.#write(this.#erasing());
    this.#drawn = [];
  }

  readonly #redraw = (): void => {
    if (this.#open && this.#render) this.draw(this.#render);
  };

  readonly #showCursor = (): void => {
    this.#write(SHOW_CURSOR);
  };

  readonly #onSignal = Object.assign(
    (signal: string): void => {
      this.end();
      // Without this listener the signal would have ended the process: let it, unless somebody else handles it.
      if (processEvents.listeners(signal).length === 0) processEvents.raise(signal);
    },
    { [TIDIES_UP]: true },
  );
}

import type { LiveTerminal, ProgressStream } from './terminal.js';
import { textWidth } from './text-width.js';

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const ERASE_REST_OF_LINE = '\x1b[K';
const ERASE_BELOW = '\x1b[J';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

// Of the global registry, and known to the logging hooks too: a listener with this mark only tidies up, and hands the
// signal on.
const TIDIES_UP = Symbol.for('hookline.tidies-up');

/** One line at the bottom of a terminal that is drawn over and over. The cursor is hidden while it is there. */
export class LiveLine implements LiveTerminal {
  readonly #stream: ProgressStream;
  #render: ((columns: number) => string) | undefined;
  /** The line that is on the screen; empty when there is none. */
  #drawn = '';
  /** How wide the terminal was when it was drawn. */
  #drawnColumns = 0;
  #open = false;

  constructor(stream: ProgressStream) {
    this.#stream = stream;
  }

  draw(render: (columns: number) => string): void {
    this.#render = render;
    this.#begin();
    const columns = this.#columns;
    const line = render(columns);
    if (line === this.#drawn && columns === this.#drawnColumns) return;
    const start = this.#rows() > 1 ? this.#erasing() : '\r';
    this.#stream.write(`${start}${line}${ERASE_REST_OF_LINE}`);
    this.#drawn = line;
    this.#drawnColumns = columns;
  }

  above(write: () => void): void {
    this.#erase();
    write();
    if (this.#open && this.#render) this.draw(this.#render);
  }

  /** Leaves a line for good; the live line goes on below it when it is drawn again. */
  leave(render: (columns: number) => string): void {
    // In one piece: a line that is gone for a moment flickers.
    this.#stream.write(`${this.#drawn && this.#erasing()}${render(this.#columns)}\n`);
    this.#drawn = '';
  }

  /** Takes the line away and gives the cursor back. */
  end(): void {
    if (!this.#open) return;
    this.#erase();
    this.#showCursor();
    this.#open = false;
    this.#render = undefined;
    this.#stream.off?.('resize', this.#redraw);
    process.off('exit', this.#showCursor);
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }

  #begin(): void {
    if (this.#open) return;
    this.#open = true;
    this.#stream.write(HIDE_CURSOR);
    this.#stream.on?.('resize', this.#redraw);
    // However the process ends, the cursor must come back.
    process.on('exit', this.#showCursor);
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  get #columns(): number {
    return this.#stream.columns || 80;
  }

  /** A terminal that was made narrower has broken the line into several rows. */
  #rows(): number {
    return Math.max(1, Math.ceil(textWidth(this.#drawn) / this.#columns));
  }

  #erasing(): string {
    const up = this.#rows() - 1;
    return `${up > 0 ? `\x1b[${up}A` : ''}\r${ERASE_BELOW}`;
  }

  #erase(): void {
    if (this.#drawn !== '') this.#stream.write(this.#erasing());
    this.#drawn = '';
  }

  readonly #redraw = (): void => {
    if (this.#open && this.#render) this.draw(this.#render);
  };

  readonly #showCursor = (): void => {
    this.#stream.write(SHOW_CURSOR);
  };

  readonly #onSignal = Object.assign(
    (signal: NodeJS.Signals): void => {
      this.end();
      // Without us listening the signal would have ended the process: let it, unless somebody else handles it.
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    },
    { [TIDIES_UP]: true },
  );
}

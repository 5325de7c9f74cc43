import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type * as Xterm from '@xterm/headless';
import type { Breaking, ProgressStream } from '../src/display/terminal.js';

// A bundle for require, without names that import could find.
const { Terminal } = createRequire(import.meta.url)('@xterm/headless') as typeof Xterm;

/** The parts of the emulator that it keeps to itself. */
interface Inside {
  _core: { writeSync(text: string): void; coreService: { isCursorHidden: boolean } };
}

/** A terminal whose screen tests can look at, drawn by an emulator that people use. */
export class FakeTerminal extends EventEmitter implements ProgressStream {
  isTTY = true;
  written: string[] = [];
  readonly #emulator: Xterm.Terminal;

  constructor(
    public columns = 100,
    { rows = 50, breaking = 'all' }: { rows?: number; breaking?: Breaking } = {},
  ) {
    super();
    this.#emulator = new Terminal({
      cols: columns,
      rows,
      // As the terminals of programs are set: a line feed also goes to the first column.
      convertEol: true,
      // Breaks no line, like a console that knows rows only.
      ...(breaking === 'none' && { windowsPty: { backend: 'winpty', buildNumber: 1 } }),
      reflowCursorLine: breaking === 'all',
      scrollback: 10_000,
      allowProposedApi: true,
      logLevel: 'off',
    });
  }

  /** The rows that are not empty, those that were scrolled away among them. */
  get screen(): string[] {
    const { active } = this.#emulator.buffer;
    const rows = Array.from({ length: active.length }, (_, row) =>
      active.getLine(row)!.translateToString(true, 0, this.columns),
    );
    return rows.map((row) => row.trimEnd()).filter(Boolean);
  }

  get cursorVisible(): boolean {
    return !this.#inside._core.coreService.isCursorHidden;
  }

  write(text: string): boolean {
    this.written.push(text);
    this.#inside._core.writeSync(text);
    return true;
  }

  /** Changes the width; long rows are broken again, as terminals do. */
  resize(columns: number): void {
    this.columns = columns;
    this.#emulator.resize(columns, this.#emulator.rows);
    this.emit('resize');
  }

  get #inside(): Inside {
    return this.#emulator as unknown as Inside;
  }
}

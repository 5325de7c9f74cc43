import { messageOf } from '@hookline/hook-api/helpers';
import { dirname, type FileHandle, flush, mkdir, open, processEvents, readFile } from '@hookline/host';
import { now } from '#host';
import { withDeadline } from '../service/with-deadline.js';
import type { LogRun } from '../session/log-backend.js';

/** Items that wait for a slow disk take this much memory at most; further ones are left out. */
const MAX_PENDING = 8 * 2 ** 20;

/** The longest that the end of a run waits for the disk. */
const CLOSE_MS = 30_000;

/** How items become the content of a file. */
export interface LogFormat<Item extends { readonly length: number }> {
  /** What to append for these items; an empty file also gets what it must begin with. */
  encode(items: readonly Item[], isEmpty: boolean): string | Uint8Array;
  /**
   * What to make of the content before these items can be appended. Asked again until it is undefined; never for an
   * empty file.
   */
  rewrite?(items: readonly Item[]): ((content: string) => string) | undefined;
  /** Whether it consists of lines. A line that a killed process left half written is ended before the next one. */
  readonly isText?: boolean;
}

/** Lines as they are. */
export const PLAIN_LINES: LogFormat<string> = { encode: (lines) => lines.join(''), isText: true };

/**
 * A file that items are appended to without waiting for the disk. An item is handed to the system as soon as the
 * write before it is done, so that even a killed process loses no more than the items of its last moment; `flush`
 * and `close` wait for all of them, and the end of the process writes what is left. After a failure, which is
 * reported once, items are dropped.
 */
export class LogFile<Item extends { readonly length: number }> {
  readonly #path: string;
  readonly #format: LogFormat<Item>;
  readonly #run: LogRun;
  readonly #closeMs: number;
  #file: FileHandle | undefined;
  #pending: Item[] = [];
  #pendingSize = 0;
  #accepted = 0;
  #handedOver = 0;
  /** Settles when nothing is pending any more. */
  #writing: Promise<void> | undefined;
  /** Settles when the write that is under way is done. */
  #turn: Promise<void> | undefined;
  #failed = false;
  #tooSlow = false;

  constructor(path: string, format: LogFormat<Item>, run: LogRun, closeMs: number = CLOSE_MS) {
    this.#path = path;
    this.#format = format;
    this.#run = run;
    this.#closeMs = closeMs;
    processEvents.on('exit', this.#writeRest);
  }

  write(item: Item): void {
    if (this.#failed) return;
    if (this.#pendingSize + item.length > MAX_PENDING) {
      if (!this.#tooSlow)
        this.#run.ctx.logger.warn(`The disk is too slow for ${this.#path}: some of the log is left out.`);
      this.#tooSlow = true;
      return;
    }
    this.#accepted++;
    this.#pending.push(item);
    this.#pendingSize += item.length;
    this.#writing ??= this.#writeAll();
  }

  /** Waits for the items so far; more may come meanwhile. */
  async flush(): Promise<void> {
    const goal = this.#accepted;
    while (this.#handedOver < goal && !this.#failed) await this.#turn;
  }

  /** Rejects when the disk does not take the rest in time: a log must not hold up the end of the run. */
  async close(): Promise<void> {
    const closed = Promise.resolve(this.#writing).then(() => this.#closeFile().catch(() => {}));
    const problem = `The disk did not accept the rest of ${this.#path} within ${this.#closeMs} ms`;
    try {
      await withDeadline(closed, this.#closeMs, problem);
    } finally {
      // Not even at the exit of the process: it would wait for the disk there.
      processEvents.off('exit', this.#writeRest);
    }
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      this.#turn = this.#writePending();
      await this.#turn;
    }
    this.#writing = undefined;
  }

  async #writePending(): Promise<void> {
    let before: number | undefined;
    try {
      const { file, size } = await this.#openFile();
      const isEmpty = size === 0;
      const change = isEmpty ? undefined : this.#format.rewrite?.(this.#pending);
      // Asked again after that: more items may have come meanwhile.
      if (change) return await this.#rewrite(change);
      const count = this.#pending.length;
      before = size;
      // Nothing is awaited between taking the items and handing them over: wherever the process ends, an item is
      // either still pending or already with the system.
      await file.appendFile(this.#format.encode(this.#take(), isEmpty));
      this.#handedOver += count;
    } catch (error) {
      this.#failed = true;
      this.#take();
      // A full disk may have accepted a part: the log ends with a whole item.
      if (before !== undefined) await this.#file?.truncate(before).catch(() => {});
      this.#run.fail(`Cannot write ${this.#path}: ${messageOf(error)}`);
    }
  }

  #take(): Item[] {
    const items = this.#pending;
    this.#pending = [];
    this.#pendingSize = 0;
    return items;
  }

  /** The open file; a new one when it, or its folder, was removed meanwhile. */
  async #openFile(): Promise<{ file: FileHandle; size: number }> {
    if (this.#file) {
      const { nlink, size } = await this.#file.stat();
      if (nlink > 0) return { file: this.#file, size };
      this.#run.ctx.logger.warn(
        `${this.#path} was removed while the run was writing to it. The log continues in a new file.`,
      );
      await this.#closeFile();
    }
    await mkdir(dirname(this.#path), { recursive: true });
    this.#file = await open(this.#path, 'a');
    const { size } = await this.#file.stat();
    if (this.#format.isText && size > 0 && (await lastByteOf(this.#path, size)) !== LINE_BREAK) {
      await this.#file.appendFile('\n');
    }
    return { file: this.#file, size };
  }

  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  /** Replaces the file as a whole: whoever reads it sees the old one or the new. */
  async #rewrite(change: (content: string) => string): Promise<void> {
    const content = await readFile(this.#path, 'utf8');
    const changed = change(content);
    if (changed === content) return;
    const temporary = await open(`${this.#path}.tmp`, 'w');
    try {
      await temporary.writeFile(changed);
      await flush(temporary);
    } finally {
      await temporary.close();
    }
    // Not in the background: were it still under way at the exit, it could undo what is written then.
    await now.rename(`${this.#path}.tmp`, this.#path);
    await this.#closeFile();
  }

  /** The process ends in the middle of the run: nothing can be awaited any more. */
  readonly #writeRest = (): void => {
    try {
      if (this.#pending.length === 0) return;
      now.makeFolder(dirname(this.#path));
      const isEmpty = now.sizeOf(this.#path) === 0;
      while (!isEmpty && this.#rewriteNow());
      now.append(this.#path, this.#format.encode(this.#take(), isEmpty));
    } catch {
      // Nobody is left to report it to, and an error thrown here would change the exit code.
    }
  };

  #rewriteNow(): boolean {
    const change = this.#format.rewrite?.(this.#pending);
    if (!change) return false;
    const content = now.read(this.#path);
    const changed = change(content);
    if (changed === content) return true;
    // Another name than that of a rewrite which may be under way.
    now.write(`${this.#path}.last.tmp`, changed);
    void now.rename(`${this.#path}.last.tmp`, this.#path);
    return true;
  }
}

const LINE_BREAK = 0x0a;

async function lastByteOf(path: string, size: number): Promise<number | undefined> {
  const file = await open(path, 'r');
  try {
    const last = new Uint8Array(1);
    await file.read(last, 0, 1, size - 1);
    return last[0];
  } finally {
    await file.close();
  }
}

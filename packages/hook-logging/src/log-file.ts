import { appendFileSync, mkdirSync } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Lines that wait for a slow disk take this much memory at most; further ones are left out. */
const MAX_PENDING = 8 * 2 ** 20;

/**
 * A file that lines are appended to without waiting for the disk. A line is handed to the system as soon as the
 * write before it is done, so that even a killed process loses no more than the lines of its last moment; `close`
 * waits for all of them, and the end of the process writes what is left. A failure is told once, and from then on
 * lines are dropped.
 */
export class LogFile {
  readonly #path: string;
  readonly #warn: (message: string) => void;
  #file: FileHandle | undefined;
  #pending = '';
  #writing: Promise<void> | undefined;
  #failed = false;
  #tooSlow = false;

  constructor(path: string, warn: (message: string) => void) {
    this.#path = path;
    this.#warn = warn;
    process.on('exit', this.#writeRest);
  }

  write(line: string): void {
    if (this.#failed) return;
    if (this.#pending.length + line.length > MAX_PENDING) {
      if (!this.#tooSlow) this.#warn(`The disk is too slow for ${this.#path}: lines are left out.`);
      this.#tooSlow = true;
      return;
    }
    this.#pending += line;
    this.#writing ??= this.#writeAll();
  }

  async close(): Promise<void> {
    await this.#writing;
    process.off('exit', this.#writeRest);
    await this.#file?.close().catch(() => {});
    this.#file = undefined;
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#pending !== '') {
        const file = await this.#openFile();
        // Nothing is awaited between taking the lines and handing them over: wherever the process ends, a line is
        // either still pending or already with the system.
        const lines = this.#pending;
        this.#pending = '';
        await file.appendFile(lines);
      }
    } catch (error) {
      this.#failed = true;
      this.#pending = '';
      this.#warn(
        `Cannot write ${this.#path}: ${(error as Error).message}. The run goes on without this log.`,
      );
    }
    this.#writing = undefined;
  }

  /** The open file; a new one when it, or its folder, was removed meanwhile. */
  async #openFile(): Promise<FileHandle> {
    if (this.#file) {
      const { nlink } = await this.#file.stat();
      if (nlink > 0) return this.#file;
      this.#warn(`${this.#path} was removed while the run was writing to it. It goes on in a new file.`);
      await this.#file.close();
      this.#file = undefined;
    }
    await mkdir(dirname(this.#path), { recursive: true });
    this.#file = await open(this.#path, 'a');
    return this.#file;
  }

  /** The process ends in the middle of the run: nothing can be awaited any more. */
  readonly #writeRest = (): void => {
    try {
      if (this.#pending === '') return;
      mkdirSync(dirname(this.#path), { recursive: true });
      appendFileSync(this.#path, this.#pending);
    } catch {
      // Nobody is left to be told, and an error thrown here would change the exit code.
    }
  };
}

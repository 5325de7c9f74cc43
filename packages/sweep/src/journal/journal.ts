import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeFolderNow } from '@hookline/host/node';
import { sweepError } from '../errors.js';
import type { Trial } from '../trial/trial.js';
import { type Entry, trialsAfter } from './entries.js';
import { withLock } from './lock.js';
import { isAlive } from './owner.js';

/**
 * What happened in a sweep, a line for each event, in a file that is only ever appended to: whoever is killed loses at
 * most the line that it was writing. Several processes may share it.
 */
export class Journal {
  readonly #file: string;

  constructor(readonly folder: string) {
    makeFolderNow(folder);
    this.#file = join(folder, 'journal.jsonl');
  }

  trials(): Trial[] {
    return trialsAfter(this.#read().entries, isAlive);
  }

  /** Decides on what is there and adds to it, while no other process can. */
  update<T>(
    decide: (trials: readonly Trial[]) => { readonly entries: readonly Entry[]; readonly result: T },
  ): Promise<T> {
    return withLock(join(this.folder, 'journal.lock'), () => {
      const { entries, whole } = this.#read();
      const { entries: added, result } = decide(trialsAfter(entries, isAlive));
      if (added.length > 0) this.#append(added, whole);
      return result;
    });
  }

  #read(): { entries: Entry[]; whole: number } {
    if (!existsSync(this.#file)) return { entries: [], whole: 0 };
    const bytes = readFileSync(this.#file);
    // What comes after the last line break was torn by the end of its process.
    const whole = bytes.lastIndexOf('\n') + 1;
    const lines = bytes.subarray(0, whole).toString('utf8').split('\n').slice(0, -1);
    return { entries: lines.map((line, index) => this.#parse(line, index)), whole };
  }

  #parse(line: string, index: number): Entry {
    try {
      const entry = JSON.parse(line) as Entry;
      if (typeof entry.event === 'string' && Number.isInteger(entry.trial) && entry.trial >= 0) return entry;
    } catch {
      // Reported below, like a line that is not an entry.
    }
    throw sweepError(
      'SWEEP_JOURNAL',
      `Line ${index + 1} of ${this.#file} is damaged. Remove that line to continue without it, or choose another "dir".`,
    );
  }

  #append(entries: readonly Entry[], whole: number): void {
    if (existsSync(this.#file)) truncateSync(this.#file, whole);
    const file = openSync(this.#file, 'a');
    try {
      appendFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }
}

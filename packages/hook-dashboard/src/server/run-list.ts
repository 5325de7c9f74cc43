import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findRuns, readRecord } from '@hookline/run-view';

export interface ListedRun {
  readonly id: string;
  readonly status: string;
  readonly startedAt?: string | undefined;
}

const MOST_RUNS = 200;
/** Pages ask every few seconds, and training must not notice: within this time all of them get the same answer. */
const FRESH_MS = 2_000;

/** The runs of a folder for a list, the newest first. A record that has not changed is not read again. */
export class RunList {
  readonly #known = new Map<string, { mark: number; run: ListedRun }>();
  #latest: Promise<ListedRun[]> | undefined;
  #until = 0;

  constructor(private readonly folder: string) {}

  read(): Promise<ListedRun[]> {
    if (!this.#latest || performance.now() > this.#until) {
      this.#until = performance.now() + FRESH_MS;
      this.#latest = this.#look();
    }
    return this.#latest;
  }

  async #look(): Promise<ListedRun[]> {
    const folders = (await findRuns(this.folder)).slice(-MOST_RUNS).reverse();
    return Promise.all(folders.map((path) => this.#summary(path)));
  }

  async #summary(path: string): Promise<ListedRun> {
    const mark = (await stat(join(path, 'run.json')).catch(() => undefined))?.mtimeMs ?? 0;
    const known = this.#known.get(path);
    // One that runs may die without a word.
    if (known?.mark === mark && known.run.status !== 'running') return known.run;
    const { status, startedAt } = await readRecord(path);
    const run = { id: basename(path), status, startedAt };
    this.#known.set(path, { mark, run });
    return run;
  }
}

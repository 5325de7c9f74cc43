import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sweepError } from '../errors.js';

const PATIENCE_MS = 10_000;
/** Nobody holds it longer than an instant: what is older was left behind. */
const STALE_MS = 5_000;

/** Runs `work` while no other process of this machine does so with the same file. `work` is short and synchronous. */
export async function withLock<T>(file: string, work: () => T): Promise<T> {
  for (const start = Date.now(); !take(file); await sleep(5 + Math.random() * 10)) {
    removeIfStale(file);
    if (Date.now() - start > PATIENCE_MS) {
      throw sweepError(
        'SWEEP_LOCKED',
        `Another process (${ownerOf(file)}) has held ${file} for ${PATIENCE_MS / 1000} s. ` +
          'End it, or remove the file if there is no such process.',
      );
    }
  }
  try {
    return work();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file: string): boolean {
  try {
    const handle = openSync(file, 'wx');
    writeSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function removeIfStale(file: string): void {
  try {
    if (Date.now() - statSync(file).mtimeMs > STALE_MS) rmSync(file, { force: true });
  } catch {
    // It is gone already.
  }
}

function ownerOf(file: string): string {
  try {
    return `process ${readFileSync(file, 'utf8')}`;
  } catch {
    return 'which has ended';
  }
}

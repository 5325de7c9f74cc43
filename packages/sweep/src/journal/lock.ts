import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { sweepError } from '../errors.js';
import { isRunning } from './is-running.js';

const PATIENCE_MS = 10_000;
/** Nobody holds it longer than an instant: what is older, and not of a process that can be seen here, was left behind. */
const STALE_MS = 5_000;

/** Runs `work` while no other process does so with the same file. `work` is short and synchronous. */
export async function withLock<T>(file: string, work: () => T, patienceMs: number = PATIENCE_MS): Promise<T> {
  for (const start = Date.now(); !take(file); await sleep(5 + Math.random() * 10)) {
    const stale = staleLock(file);
    if (stale !== undefined) removeStale(file, stale);
    if (Date.now() - start > patienceMs) {
      throw sweepError(
        'SWEEP_LOCKED',
        `Another process (${ownerOf(file)}) has held ${file} for ${patienceMs / 1000} s. ` +
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

/** What tells the lock from any other that has this name later; undefined while somebody may hold it. */
export function staleLock(file: string): string | undefined {
  try {
    const { ino, mtimeMs } = statSync(file);
    const [pid, host] = readFileSync(file, 'utf8').split(' ');
    // Killed between two system calls, a process leaves a lock without its name.
    const isHere = host === hostname();
    const isStale = isHere ? !isRunning(Number(pid)) : Date.now() - mtimeMs > STALE_MS;
    return isStale ? `${ino}-${mtimeMs}` : undefined;
  } catch {
    return undefined; // it is gone already
  }
}

/**
 * Removes the lock that was found to be stale, and not one that somebody has taken since: of all who have found it, one
 * at a time looks again and removes it.
 */
export function removeStale(file: string, stale: string): void {
  const guard = `${file}.${stale}`;
  if (!take(guard)) {
    if (staleLock(guard) !== undefined) rmSync(guard, { force: true });
    return;
  }
  try {
    if (staleLock(file) === stale) rmSync(file, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

function take(file: string): boolean {
  try {
    const handle = openSync(file, 'wx');
    writeSync(handle, `${process.pid} ${hostname()}`);
    closeSync(handle);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function ownerOf(file: string): string {
  try {
    const [pid, host] = readFileSync(file, 'utf8').split(' ');
    return `process ${pid} of ${host}`;
  } catch {
    return 'which has ended';
  }
}

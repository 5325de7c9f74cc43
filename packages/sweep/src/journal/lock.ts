import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sweepError } from '../errors.js';
import { isAlive, isOfThisMachine, type ProcessOwner, thisOwner } from './owner.js';

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
        `Another process (${nameOf(ownerOf(file))}) has held ${file} for ${patienceMs / 1000} s. ` +
          'End it, or remove the file if there is no such process.',
      );
    }
  }
  try {
    return work();
  } finally {
    release(file);
  }
}

/** What tells the lock from any other that has this name later; undefined while somebody may hold it. */
export function staleLock(file: string): string | undefined {
  try {
    const { ino, mtimeMs } = statSync(file);
    const owner = ownerOf(file);
    // Killed between two system calls, a process leaves a lock without its name.
    const isHere = owner !== undefined && isOfThisMachine(owner);
    const isStale = isHere ? !isAlive(owner) : Date.now() - mtimeMs > STALE_MS;
    return isStale ? `${ino}-${mtimeMs}` : undefined;
  } catch {
    return undefined; // it is gone already
  }
}

/**
 * Removes the lock that was found to be stale, and not one that somebody has taken since: of all who have found it, one
 * at a time looks again and removes it. That one may be killed as well: its guard is then removed in the same way.
 */
export function removeStale(file: string, stale: string): void {
  const guard = `${file}.${stale}`;
  if (!take(guard)) {
    const staleGuard = staleLock(guard);
    if (staleGuard !== undefined) removeStale(guard, staleGuard);
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
    writeSync(handle, JSON.stringify(thisOwner()));
    closeSync(handle);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Another machine may have taken it over from a process that was stopped for long: then it is not ours to remove. */
function release(file: string): void {
  const { machine, pid } = thisOwner();
  const owner = ownerOf(file);
  if (owner?.machine === machine && owner.pid === pid) rmSync(file, { force: true });
}

function ownerOf(file: string): ProcessOwner | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessOwner;
  } catch {
    return undefined; // it is gone, or has no name yet
  }
}

function nameOf(owner: ProcessOwner | undefined): string {
  return owner === undefined ? 'which has ended' : `process ${owner.pid} of ${owner.machine}`;
}

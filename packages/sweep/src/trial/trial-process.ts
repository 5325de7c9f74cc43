import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sweepError } from '../errors.js';
import { isAlive, isOfThisMachine, type ProcessOwner } from '../journal/owner.js';
import { replaceFile } from '../replace-file.js';

/** Which process trains in the folder of a trial. */
const PROCESS_FILE = 'process.json';
const PATIENCE_MS = 30_000;

export function writeProcess(folder: string, owner: ProcessOwner): void {
  replaceFile(join(folder, PROCESS_FILE), JSON.stringify(owner));
}

export function readProcess(folder: string): ProcessOwner | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, PROCESS_FILE), 'utf8')) as ProcessOwner;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export function forgetProcess(folder: string): void {
  rmSync(join(folder, PROCESS_FILE), { force: true });
}

/**
 * A sweep that was killed leaves trials that are saving what they have. One that does not end by itself is ended: two
 * processes must not train in one folder. Only a process that is surely the trial: numbers of processes are used again.
 */
export async function endPredecessor(folder: string, patienceMs: number = PATIENCE_MS): Promise<void> {
  const found = readProcess(folder);
  if (found !== undefined && isOfThisMachine(found)) {
    for (const start = Date.now(); isAlive(found) && Date.now() - start < patienceMs; ) await sleep(50);
    if (isAlive(found)) {
      if (found.start === 0) throw inUse(folder, found.pid);
      process.kill(found.pid, 'SIGKILL');
    }
  }
  forgetProcess(folder);
}

function inUse(folder: string, pid: number): Error {
  return sweepError(
    'TRIAL_TAKEN',
    `Process ${pid} seems to train in ${folder}. End it; if it is another program, remove ${PROCESS_FILE} there.`,
  );
}

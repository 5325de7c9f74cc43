import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolderNow } from '@hookline/host/node';
import { thisOwner } from '../journal/owner.js';
import type { Outcome } from './trial.js';
import { endPredecessor, forgetProcess, writeProcess } from './trial-process.js';
import { OUTCOME_FILE, type TrialTask } from './trial-task.js';

const PROGRAM = fileURLToPath(new URL(`./trial-program${extname(import.meta.url)}`, import.meta.url));

/** How a trial's process ended: with an outcome, with an error, or before it had either. */
export type TrialEnd = { readonly outcome: Outcome } | { readonly error: string } | 'interrupted';

/** Trains a trial in a process; what that prints goes to `output.log` in the trial's folder. A signal is passed on. */
export async function startTrial(
  task: TrialTask,
  signal: AbortSignal,
  program: string = PROGRAM,
): Promise<TrialEnd> {
  makeFolderNow(task.folder);
  await endPredecessor(task.folder);
  const file = join(task.folder, OUTCOME_FILE);
  rmSync(file, { force: true });
  const log = openSync(join(task.folder, 'output.log'), 'a');
  try {
    // In a group of its own: Ctrl-C reaches the sweep alone, which tells the trials.
    const child = spawn(process.execPath, [...process.execArgv, program, JSON.stringify(task)], {
      stdio: ['ignore', log, log, 'ipc'],
      detached: process.platform !== 'win32',
    });
    // Until it writes its own mark, which also tells when it began.
    if (child.pid !== undefined) writeProcess(task.folder, { ...thisOwner(), pid: child.pid, start: 0 });
    const stop = () => child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
    signal.removeEventListener('abort', stop);
    forgetProcess(task.folder);
    return endOf(file, code);
  } finally {
    closeSync(log);
  }
}

function endOf(file: string, code: number | null): TrialEnd {
  if (!existsSync(file)) {
    const signalled = code === null || code > 128;
    return signalled
      ? 'interrupted'
      : { error: `the process ended with exit code ${code} and left no result; see output.log` };
  }
  const left = JSON.parse(readFileSync(file, 'utf8')) as
    | (Outcome & { value: number | null })
    | { error: string };
  return 'error' in left ? left : { outcome: { ...left, value: left.value ?? NaN } };
}

import { join } from 'node:path';
import { sweepError } from './errors.js';
import { type Entry, endEntry } from './journal/entries.js';
import { thisOwner } from './journal/owner.js';
import { takeJob } from './journal/take-job.js';
import type { OpenSweep } from './open-sweep.js';
import { resultsOf, type TrialResult } from './results.js';
import type { Job } from './schedule.js';
import { startTrial, type TrialEnd } from './trial/start-trial.js';
import type { TrialTask } from './trial/trial-task.js';

export interface SweepRunOptions {
  readonly workers: number;
  /** Ends the sweep: trials save their state, and the next call continues from there. */
  readonly signal: AbortSignal;
  /** Called when a trial has reached a rung, failed, or was interrupted. */
  readonly onEnd?: (job: Job, end: TrialEnd) => void;
  /** Trains one trial; in a process of its own when absent. */
  readonly start?: (task: TrialTask, signal: AbortSignal) => Promise<TrialEnd>;
}

/** A trial whose process ends without a word, as when memory is short, is tried this often. */
const ATTEMPTS = 3;

/** Trains until the sweep is done or ended, and returns the results so far. */
export async function runSweep(open: OpenSweep, options: SweepRunOptions): Promise<TrialResult[]> {
  const { sweep, journal } = open;
  const running = new Set<Promise<void>>();
  const attempts = new Map<string, number>();
  while (!options.signal.aborted) {
    const job = running.size < options.workers ? await takeJob(sweep, journal, thisOwner()) : 'wait';
    if (job === 'done') break;
    if (job === 'wait') {
      if (running.size === 0) break; // Another process has what is left.
      await Promise.race(running);
      continue;
    }
    const key = `${job.trial} ${job.rung}`;
    attempts.set(key, (attempts.get(key) ?? 0) + 1);
    const work = runJob(open, job, options, attempts.get(key)! >= ATTEMPTS).finally(() =>
      running.delete(work),
    );
    running.add(work);
  }
  await Promise.all(running);
  const trials = journal.trials();
  const failures = trials.filter(({ failed }) => failed !== undefined);
  if (failures.length === sweep.trials) {
    throw sweepError(
      'SWEEP_FAILED',
      `All ${failures.length} trials failed. The first one: ${failures[0]!.failed} (see ${join(trialFolder(open, 0), 'output.log')})`,
    );
  }
  return resultsOf(sweep, trials);
}

/** Trains what a job asks for, and writes into the journal how it ended. */
export async function runJob(
  open: OpenSweep,
  { trial, rung, point, epochs }: Job,
  { signal, onEnd, start = startTrial }: Omit<SweepRunOptions, 'workers'>,
  isLastAttempt = false,
): Promise<void> {
  const { monitor, mode } = open.sweep;
  const task = {
    configFile: open.configFile,
    point,
    folder: trialFolder(open, trial),
    epochs,
    monitor,
    mode,
  };
  let end = await start(task, signal);
  if (end === 'interrupted' && isLastAttempt && !signal.aborted) {
    end = { error: `its process was ended ${ATTEMPTS} times before it had a result; see output.log` };
  }
  await open.journal.update(() => ({ entries: [entryOf(trial, rung, end)], result: undefined }));
  onEnd?.({ trial, rung, point, epochs }, end);
}

function entryOf(trial: number, rung: number, end: TrialEnd): Entry {
  if (end === 'interrupted') return { event: 'interrupted', trial, rung };
  return 'error' in end
    ? { event: 'failed', trial, rung, error: end.error }
    : endEntry(trial, rung, end.outcome);
}

function trialFolder({ journal }: OpenSweep, trial: number): string {
  return join(journal.folder, 'trials', String(trial).padStart(4, '0'));
}

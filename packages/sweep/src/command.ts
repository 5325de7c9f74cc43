import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { didYouMean } from '@hookline/hook-api';
import { type Command, shortNumber, type Write } from '@hookline/hook-api/helpers';
import { sweepError } from './errors.js';
import { claimJob, takeJob } from './journal/take-job.js';
import { type OpenSweep, openSweep } from './open-sweep.js';
import { resultsOf, resultTable, type TrialResult } from './results.js';
import { runJob, runSweep } from './run-sweep.js';
import type { Job } from './schedule.js';
import type { Sweep } from './sweep-config.js';
import type { TrialEnd } from './trial/start-trial.js';
import { untilSignal } from './until-signal.js';

/** Searches for good hyper-parameters. */
export const command: Command = {
  summary: 'search for good hyper-parameters',
  usage: `hookline sweep [file] [--workers 2] [--json]   run a sweep, or continue it
hookline sweep results [file] [--json]         the trials so far, the best first
hookline sweep next [file] [--json]            take one job, for a queue of your own
hookline sweep run [file] --trial 3            train a job that was taken

  [file]     by default sweep.config.ts in the current folder
  --workers  how many trials train at the same time; by default the number in the file
  --trial    the number that "next" printed
  --json     for programs

Exit codes: 0 done, 1 failed, 3 nothing to take now, 130 ended by Ctrl-C, SIGTERM or SIGHUP;
run it again to continue.
`,
  async run(args, write) {
    const verb = args[0] !== undefined && Object.hasOwn(VERBS, args[0]) ? args[0] : undefined;
    const { positionals, values } = readArgs(verb === undefined ? args : args.slice(1));
    if (positionals.length > 1)
      throw usage(`One file, not ${positionals.length}.${didYouMean(positionals[0]!, Object.keys(VERBS))}`);
    const [file] = positionals;
    const verbMeant = file === undefined || existsSync(file) ? '' : didYouMean(file, Object.keys(VERBS));
    if (verbMeant !== '') throw usage(`There is no file ${file}.${verbMeant}`);
    const open = await openSweep(file);
    return (verb === undefined ? sweepVerb : VERBS[verb]!)(open, { ...values, file }, write);
  },
};

interface Flags {
  readonly file?: string | undefined;
  readonly json?: boolean | undefined;
  readonly workers?: string | undefined;
  readonly trial?: string | undefined;
}

type Verb = (open: OpenSweep, flags: Flags, write: Write) => Promise<number>;

const VERBS: Readonly<Record<string, Verb>> = { results: resultsVerb, next: nextVerb, run: runVerb };

async function sweepVerb(open: OpenSweep, { json, workers }: Flags, write: Write): Promise<number> {
  return untilSignal(async (signal) => {
    const onEnd = (job: Job, end: TrialEnd) => {
      if (!json) write(`${jobLine(open.sweep, job, end)}\n`);
    };
    const count = workers === undefined ? open.workers : wholeNumber('--workers', workers, 1);
    writeResults(open, await runSweep(open, { workers: count, signal, onEnd }), json, write);
    return 0;
  });
}

async function resultsVerb(open: OpenSweep, { json }: Flags, write: Write): Promise<number> {
  writeResults(open, resultsOf(open.sweep, open.journal.trials()), json, write);
  return 0;
}

async function nextVerb(open: OpenSweep, { json, file }: Flags, write: Write): Promise<number> {
  const job = await takeJob(open.sweep, open.journal, 'queue');
  if (typeof job === 'string') {
    write(
      json
        ? `${JSON.stringify({ status: job })}\n`
        : job === 'done'
          ? 'The sweep is done.\n'
          : 'Nothing to take now.\n',
    );
    return 3;
  }
  const command = ['hookline sweep run', ...(file === undefined ? [] : [file]), `--trial ${job.trial}`].join(
    ' ',
  );
  write(json ? `${JSON.stringify({ status: 'taken', ...job, command })}\n` : `${command}\n`);
  return 0;
}

async function runVerb(open: OpenSweep, { trial }: Flags, write: Write): Promise<number> {
  if (trial === undefined) throw usage('Which trial? Name it: --trial 3.');
  const number = wholeNumber('--trial', trial, 0);
  const job = await claimJob(open.sweep, open.journal, number);
  return untilSignal(async (signal) => {
    let failed = false;
    await runJob(open, job, {
      signal,
      onEnd: (_, end) => {
        failed = end === 'interrupted' || 'error' in end;
        write(`${jobLine(open.sweep, job, end)}\n`);
      },
    });
    return failed ? 1 : 0;
  });
}

function writeResults(
  { sweep }: OpenSweep,
  results: readonly TrialResult[],
  json: boolean | undefined,
  write: Write,
): void {
  write(
    json
      ? `${JSON.stringify({ monitor: sweep.monitor, mode: sweep.mode, trials: results }, null, 2)}\n`
      : resultTable(sweep, results),
  );
}

/** What is printed when a trial has reached a rung, failed, or was interrupted. */
export function jobLine(sweep: Sweep, { trial, epochs }: Job, end: TrialEnd): string {
  if (end === 'interrupted') return `trial ${trial}: interrupted; it continues when the sweep does`;
  if ('error' in end) return `trial ${trial}: failed: ${end.error}`;
  const { value } = end.outcome;
  const stopped = end.outcome.finished && epochs < sweep.rungs.at(-1)! ? ', stopped early' : '';
  return `trial ${trial}: ${sweep.monitor} ${shortNumber(value)} after ${end.outcome.epochs} of ${sweep.rungs.at(-1)} epochs${stopped}`;
}

function readArgs(args: readonly string[]): { positionals: string[]; values: Flags } {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' }, workers: { type: 'string' }, trial: { type: 'string' } },
    });
  } catch (cause) {
    throw usage((cause as Error).message, cause);
  }
}

function wholeNumber(flag: string, text: string, min: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= min) return number;
  throw usage(`${flag} must be a whole number of at least ${min}, got "${text}".`);
}

function usage(message: string, cause?: unknown): Error {
  return sweepError('CLI_USAGE', message, cause);
}

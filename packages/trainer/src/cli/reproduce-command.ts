import { rmSync } from 'node:fs';
import type { Command } from '@hookline/hook-api/helpers';
import { shortPath } from '#host';
import { loadTraining } from '../config/index.js';
import { trainerError } from '../errors.js';
import { findRun, runsFolder } from './find-run.js';
import { readArguments } from './read-flags.js';
import { recordedConfig } from './recorded-config.js';
import { firstDifference } from './same-bits.js';
import { codeReasons, recordReasons } from './same-training.js';

/** Trains a run again, from the start, and says whether the numbers are the same. */
export const reproduceCommand: Command = {
  summary: 'train a run again, and say whether every bit is the same',
  usage: `hookline reproduce <run> [--runs <folder>]

  <run>            its folder, its id or the beginning of its id
  --runs <folder>  where runs are, runs in the project by default

Commit, uncommitted changes, config, hooks, backend and data must be those of the run; otherwise nothing is trained. The seed
is that of the run. Logged numbers and the weights in checkpoints are compared, as far as both runs have them.

The exit code is 0 for the same bits, and 1 when they differ or the run cannot be reproduced here.
`,
  async run(args, write) {
    const { values, positionals } = readArguments(args, { runs: { type: 'string' } }, 1);
    const [name] = positionals;
    if (name === undefined) throw trainerError('CLI_USAGE', 'Which run? Name its folder or its id.');
    const run = await findRun(name, runsFolder(values.runs));
    const { file, set } = recordedConfig(run, {});
    refuse(run.folder, codeReasons(run));
    let made: string | undefined;
    const training = await loadTraining(
      { file, set: { ...set, seed: run.record.seed } },
      (record, folder) => {
        made = folder;
        refuse(run.folder, recordReasons(run.record, record));
      },
    );
    const { resume: _resume, override: _override, strictResume: _strict, ...fit } = training.fit;
    try {
      const { exitCode } = await training.trainer.fit(fit);
      // By a signal: there is no result to compare.
      if (exitCode > 128) return exitCode;
    } catch (error) {
      // Refused before its first step: nothing of it is worth keeping.
      const isRefused = (error as { code?: unknown }).code === 'NOT_REPRODUCIBLE';
      if (isRefused && made !== undefined) rmSync(made, { recursive: true, force: true });
      throw error;
    }
    if (made === undefined)
      throw trainerError(
        'NOT_REPRODUCIBLE',
        'The config writes no runs (runsDir: false): there is nothing to compare.',
      );
    const { text, isSame } = await firstDifference(run.folder, made);
    write(`${text}\n${shortPath(run.folder)} and ${shortPath(made)}\n`);
    return isSame ? 0 : 1;
  },
};

function refuse(folder: string, reasons: readonly string[]): void {
  if (reasons.length === 0) return;
  throw trainerError(
    'NOT_REPRODUCIBLE',
    `${shortPath(folder)} cannot be reproduced here:\n${reasons.map((reason) => `  - ${reason}`).join('\n')}`,
  );
}

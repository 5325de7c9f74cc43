import type { Command } from '@hookline/hook-api/helpers';
import { fateOf, ownerName } from '@hookline/host';
import { shortPath } from '#host';
import { loadTraining, overridesOf } from '../config/index.js';
import { trainerError } from '../errors.js';
import { findRun, type NamedRun, runsFolder } from './find-run.js';
import { readArguments } from './read-flags.js';
import { recordedConfig } from './recorded-config.js';
import { runTraining } from './train-command.js';

/** Continues a run with the config that it was made from. */
export const resumeCommand: Command = {
  summary: 'continue a run that was interrupted, to the same bits',
  usage: `hookline resume [run] [--set <path>=<value>]... [--runs <folder>]

  [run]             its folder, its id or the beginning of its id; the latest by default
  --set path=value  replaces a setting, such as --set fit.epochs=20 to train longer
  --runs <folder>   where runs are, runs in the project by default

The config file and the settings are those of the run. A setting that decides how it trains must be as it was.
The exit code is that of "hookline train".
`,
  async run(args, write) {
    const flags = { set: { type: 'string', multiple: true }, runs: { type: 'string' } } as const;
    const { values, positionals } = readArguments(args, flags, 1);
    const run = await findRun(positionals[0], runsFolder(values.runs));
    refuseLiving(run);
    const training = await loadTraining(recordedConfig(run, overridesOf(values.set ?? [])));
    write(`Continues ${shortPath(run.folder)}.\n`);
    return runTraining(training, write, run.folder);
  },
};

/** Two processes would train the same steps, and each would take itself for the run. */
function refuseLiving({ folder, record: { status, process } }: NamedRun): void {
  if (status !== 'running' || !process || fateOf(process) !== 'alive') return;
  throw trainerError(
    'RUN_REFUSED',
    `${folder} is still training, in ${ownerName(process)}. Wait for its end or stop it first, or name another run: "hookline runs" lists them.`,
  );
}

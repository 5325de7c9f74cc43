import type { Data } from '@hookline/data';
import { type Command, shortNumber, type Write } from '@hookline/hook-api/helpers';
import { shortPath } from '#host';
import { loadTraining, overridesOf, type Training } from '../config/index.js';
import type { FitOptions } from '../loop/plan.js';
import type { EvaluateOptions } from '../loop/stages.js';
import { readArguments } from './read-flags.js';

/** Trains from a config file. */
export const trainCommand: Command = {
  summary: 'train from a config file',
  usage: `hookline train [config] [--set <path>=<value>]... [--resume] [--dashboard]

  [config]           the file, or the folder that holds it; by default the nearest hookline.config.{ts,mts,js,mjs,json}
  --set path=value   replaces a setting: --set fit.epochs=5 --set hooks.early-stopping.patience=3. A value is JSON, or
                     else text. A key with dots is quoted: --set 'hooks["./hooks/mine.ts#mine"].scale=2'
  --dashboard        shows the run on a live page; needs @hookline/hook-dashboard
  --resume           continues the latest run of the same training that was interrupted, if there is one

Settings in the environment variable HOOKLINE_SET, separated by ";", override the file, and --set overrides them.
The exit code is 0, 1 when training fails or a hook counts it as failed, 2 when the command was called wrongly, and 128 and
the number of the signal that ended it: 130 for Ctrl-C.
`,
  async run(args, write) {
    const { values, positionals } = readArguments(
      args,
      {
        set: { type: 'string', multiple: true },
        resume: { type: 'boolean' },
        dashboard: { type: 'boolean' },
      },
      1,
    );
    const set = overridesOf([...(values.set ?? []), ...(values.dashboard ? ['hooks.dashboard=true'] : [])]);
    const training = await loadTraining({ file: positionals[0], set });
    return runTraining(training, write, values.resume ? 'auto' : undefined);
  },
};

/** Fits, tests where the config has data for it, and returns the exit code. */
export async function runTraining(training: Training, write: Write, resume?: string): Promise<number> {
  const { trainer, fit, test } = training;
  const result = await trainer.fit(resume === undefined ? fit : { ...fit, resume });
  const { status, best, runDir, exitCode, stopReason } = result;
  const isOver = exitCode === 0 && !fit.fastDevRun;
  const tested = test !== undefined && isOver ? await trainer.test(withBatchSize(test, fit)) : {};
  await trainer.dispose();
  // Of several processes, the main one says how it ended.
  if (result.rank) return exitCode;
  const parts = [
    stopReason === undefined ? status : `${status} (${stopReason})`,
    best ? `best ${best.metric} ${shortNumber(best.value)} at epoch ${best.epoch}` : '',
    ...Object.entries(tested).map(([name, value]) => `${name} ${shortNumber(value)}`),
    runDir === '' ? '' : shortPath(runDir),
  ];
  write(`${parts.filter((part) => part !== '').join('  ')}\n`);
  if (exitCode > 128) write('hookline resume continues it.\n');
  return exitCode;
}

function withBatchSize(data: Data, { batchSize }: FitOptions): EvaluateOptions {
  return batchSize === undefined ? { data } : { data, batchSize };
}

import { resolve } from 'node:path';
import type { Command } from '@hookline/hook-api/helpers';
import { printable, printableJson } from '#host';
import { trainerError } from '../errors.js';
import { checkpointsIn, pointersOf } from '../saved/checkpoint-folders.js';
import { type Inspected, inspectCheckpoint } from './inspect-checkpoint.js';
import { reportOfCheckpoint, reportOfFolder } from './inspect-report.js';
import { readFlags } from './read-flags.js';
import { runLine } from './run-line.js';

/** Shows what a checkpoint holds and whether it is intact. Runs nothing of it: a checkpoint is data. */
export const inspectCommand: Command = {
  summary: 'show what a checkpoint holds, and whether it is intact',
  usage: `hookline inspect <folder> [--tensors] [--json]

  <folder>   a checkpoint, a folder of checkpoints, or the folder of a run
  --tensors  list every tensor, with its range
  --json     print JSON

The exit code is 1 when a checkpoint is damaged or has numbers that are not finite.
`,
  async run(args, write) {
    const [folder, ...rest] = args;
    const flags = readFlags(folder?.startsWith('-') ? args : rest, {
      tensors: { type: 'boolean' },
      json: { type: 'boolean' },
    });
    if (folder === undefined || folder.startsWith('-')) {
      throw trainerError('CLI_USAGE', 'Which checkpoint? Name its folder.');
    }
    const { dir, paths } = await checkpointsIn(resolve(folder));
    const checkpoints: Inspected[] = [];
    for (const path of paths) checkpoints.push(await inspectCheckpoint(path));
    checkpoints.sort((a, b) => a.sequence - b.sequence);
    const shown = printable({ dir, checkpoints, marks: await pointersOf(dir) });
    if (flags.json) write(printableJson({ folder: dir, checkpoints }));
    else if (checkpoints.length === 1)
      write(reportOfCheckpoint(shown.checkpoints[0]!, flags.tensors ?? false));
    else write(reportOfFolder(shown.dir, shown.checkpoints, shown.marks));
    if (!flags.json) write(printable(runLine(resolve(folder))));
    return checkpoints.every(({ problems }) => problems.length === 0) ? 0 : 1;
  },
};

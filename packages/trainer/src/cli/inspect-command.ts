import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readPointer } from '@hookline/safetensors/node';
import { trainerError } from '../errors.js';
import { printable, printableJson } from '../host/index.js';
import { type Command, readFlags } from './command.js';
import { type Inspected, inspectCheckpoint } from './inspect-checkpoint.js';
import { reportOfCheckpoint, reportOfFolder } from './inspect-report.js';

/** Shows what a checkpoint holds and whether it is whole. Runs nothing of it: a checkpoint is data. */
export const inspectCommand: Command = {
  summary: 'show what a checkpoint holds, and whether it is whole',
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
    const { dir, checkpoints } = await checkpointsIn(resolve(folder));
    const shown = printable({ dir, checkpoints, marks: await pointersOf(dir) });
    if (flags.json) write(printableJson({ folder: dir, checkpoints }));
    else if (checkpoints.length === 1)
      write(reportOfCheckpoint(shown.checkpoints[0]!, flags.tensors ?? false));
    else write(reportOfFolder(shown.dir, shown.checkpoints, shown.marks));
    return checkpoints.every(({ problems }) => problems.length === 0) ? 0 : 1;
  },
};

async function checkpointsIn(folder: string): Promise<{ dir: string; checkpoints: Inspected[] }> {
  for (const dir of [folder, ...(await foldersOfRun(folder))]) {
    const found = await readdir(dir, { withFileTypes: true }).catch(() => []);
    if (found.some(({ name }) => name === 'manifest.json' || name === 'model.safetensors')) {
      return { dir, checkpoints: [await inspectCheckpoint(dir)] };
    }
    // Names with a dot at the start are in the making.
    const names = found.filter((each) => each.isDirectory() && !each.name.startsWith('.'));
    const paths = names.map(({ name }) => join(dir, name)).sort();
    const whole = await Promise.all(paths.map(holdsManifest));
    if (!whole.includes(true)) continue;
    const checkpoints: Inspected[] = [];
    for (const path of paths) checkpoints.push(await inspectCheckpoint(path));
    return { dir, checkpoints: checkpoints.sort((a, b) => a.sequence - b.sequence) };
  }
  throw trainerError(
    'NO_CHECKPOINTS',
    `There is no checkpoint in ${folder}. Expected a folder with a manifest.json, or one that holds such folders.`,
  );
}

/** Where the checkpoint hooks of a run save: each instance has its own folder, `checkpoints-<name>`. */
async function foldersOfRun(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return names
    .filter((name) => /^checkpoints(-|$)/.test(name))
    .sort()
    .map((name) => join(folder, name));
}

async function holdsManifest(path: string): Promise<boolean> {
  return (await readdir(path).catch((): string[] => [])).includes('manifest.json');
}

/** The marks of checkpoints, by name: `best`, `last`, and `best-<metric>` for further metrics. */
async function pointersOf(dir: string): Promise<Map<string, string[]>> {
  const marks = new Map<string, string[]>();
  const files = await readdir(dir);
  const pointers = files.flatMap((file) => /^(best(?:-.+)?|last)\.json$/.exec(file)?.[1] ?? []);
  for (const pointer of pointers.sort()) {
    const name = await readPointer(join(dir, `${pointer}.json`)).catch(() => undefined);
    if (typeof name === 'string') marks.set(name, [...(marks.get(name) ?? []), pointer]);
  }
  return marks;
}

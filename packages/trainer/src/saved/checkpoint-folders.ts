import { didYouMean } from '@hookline/hook-api';
import { basename, join, listFolder, readdir } from '@hookline/host';
import { readPointer } from '@hookline/safetensors/node';
import { trainerError } from '../errors.js';

/** Checkpoints on the disk. */
export interface CheckpointFolders {
  /** The folder that holds them; of a single one, the folder itself. */
  readonly dir: string;
  /** In the order of their names. */
  readonly paths: readonly string[];
}

/** The checkpoints in a folder, which is a checkpoint, a folder of checkpoints, or the folder of a run. */
export async function checkpointsIn(folder: string): Promise<CheckpointFolders> {
  for (const dir of [folder, ...(await foldersOfRun(folder))]) {
    const found = await listFolder(dir).catch(() => []);
    if (found.some(({ name }) => name === 'manifest.json' || name === 'model.safetensors')) {
      return { dir, paths: [dir] };
    }
    // Names with a dot at the start are in the making.
    const names = found.filter((each) => each.isDirectory() && !each.name.startsWith('.'));
    const paths = names.map(({ name }) => join(dir, name)).sort();
    const whole = await Promise.all(paths.map(holdsManifest));
    if (whole.includes(true)) return { dir, paths };
  }
  throw trainerError(
    'NO_CHECKPOINTS',
    `There is no checkpoint in ${folder}. Expected a folder with a manifest.json, or one that holds such folders.`,
  );
}

/** The marks of checkpoints, by name: `best`, `last`, and `best-<metric>` for further metrics. */
export async function pointersOf(dir: string): Promise<Map<string, string[]>> {
  const marks = new Map<string, string[]>();
  const files = await readdir(dir);
  const pointers = files.flatMap((file) => /^(best(?:-.+)?|last)\.json$/.exec(file)?.[1] ?? []);
  for (const pointer of pointers.sort()) {
    const name = await readPointer(join(dir, `${pointer}.json`)).catch(() => undefined);
    if (typeof name === 'string') marks.set(name, [...(marks.get(name) ?? []), pointer]);
  }
  return marks;
}

/** One checkpoint of a folder: by its name or a mark such as `best`; without a wish the best, or else the last. */
export async function pickCheckpoint(folder: string, wanted?: string): Promise<string> {
  const { dir, paths } = await checkpointsIn(folder);
  const named = new Map(paths.map((path) => [basename(path), path]));
  if (paths.length === 1 && paths[0] === dir) return dir;
  for (const [name, marks] of await pointersOf(dir)) {
    const path = named.get(name);
    if (path !== undefined) for (const mark of marks) named.set(mark, path);
  }
  const choices = wanted === undefined ? ['best', 'last'] : [wanted];
  const picked = choices.flatMap((choice) => named.get(choice) ?? [])[0];
  if (picked !== undefined) return picked;
  const names = [...named.keys()];
  const missing = wanted === undefined ? 'marks none as best or last' : `has no checkpoint "${wanted}"`;
  throw trainerError(
    'NO_CHECKPOINTS',
    `${dir} ${missing}.${didYouMean(wanted ?? 'best', names)} There are: ${names.join(', ')}.`,
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

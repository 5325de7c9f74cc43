import type { HookContext } from '@hookline/hook-api';
import { join, readdir } from '@hookline/host';
import { type Entry, listCheckpoints } from '../folder/checkpoint-folder.js';
import { folderNameOf } from '../folder/folder-name.js';

/** The folders of earlier runs of the same experiment, the one that was written to last first. */
export async function earlierFolders(ctx: HookContext): Promise<string[]> {
  const { run, logger } = ctx;
  const all = await foldersOf(ctx);
  const folders = all.filter(({ newest }) => newest.info.experiment === run.experiment);
  const others = all.length - folders.length;
  if (folders.length === 0 && others > 0) {
    logger.info(
      `${others} earlier ${others === 1 ? 'run has' : 'runs have'} checkpoints in ${run.runsDir}, with another model or ` +
        'other settings. To continue one of them, name its folder: resume: "<folder>".',
    );
  }
  return folders.map(({ dir }) => dir);
}

/** The folder of the run itself, then those of the same experiment, then all others, each time the latest first. */
export async function savedFolders(ctx: HookContext): Promise<string[]> {
  const { hook, run } = ctx;
  const all = await foldersOf(ctx);
  const isSame = ({ newest }: Folder) => newest.info.experiment === run.experiment;
  const sorted = [...all.filter(isSame), ...all.filter((folder) => !isSame(folder))];
  const own = run.dir === undefined ? [] : [join(run.dir, folderNameOf(hook))];
  return [...own, ...sorted.map(({ dir }) => dir)];
}

interface Folder {
  readonly dir: string;
  readonly newest: Entry;
}

/** Of the other runs that have checkpoints, the one that was written to last first. */
async function foldersOf({ hook, run }: HookContext): Promise<Folder[]> {
  const { runsDir } = run;
  const ids = await readdir(runsDir).catch(() => []);
  const folders: Folder[] = [];
  for (const id of ids.filter((each) => each !== run.id)) {
    const dir = join(runsDir, id, folderNameOf(hook));
    const { entries } = await listCheckpoints(dir).catch(() => ({ entries: [] as Entry[] }));
    const newest = entries[0];
    if (newest) folders.push({ dir, newest });
  }
  return folders.sort((a, b) => (a.newest.info.savedAt < b.newest.info.savedAt ? 1 : -1));
}

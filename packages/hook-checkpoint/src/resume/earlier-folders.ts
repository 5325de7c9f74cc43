import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { HookContext } from '@hookline/hook-api';
import { type Entry, listCheckpoints } from '../folder/checkpoint-folder.js';
import { folderNameOf } from '../folder/folder-name.js';

/** The folders of earlier runs of the same experiment, the one that was written to last first. */
export async function earlierFolders({ hook, run, logger }: HookContext): Promise<string[]> {
  const runsDir = dirname(run.dir);
  const ids = await readdir(runsDir).catch(() => []);
  const folders: { dir: string; newest: Entry }[] = [];
  let others = 0;
  for (const id of ids.filter((each) => each !== run.id)) {
    const dir = join(runsDir, id, folderNameOf(hook));
    const { entries } = await listCheckpoints(dir).catch(() => ({ entries: [] as Entry[] }));
    const newest = entries[0];
    if (newest?.info.experiment === run.experiment) folders.push({ dir, newest });
    else if (newest) others++;
  }
  if (folders.length === 0 && others > 0) {
    logger.info(
      `${others} earlier ${others === 1 ? 'run has' : 'runs have'} checkpoints in ${runsDir}, with another model or ` +
        'other settings. To continue one of them, name its folder: resume: "<folder>".',
    );
  }
  folders.sort((a, b) => (a.newest.info.savedAt < b.newest.info.savedAt ? 1 : -1));
  return folders.map(({ dir }) => dir);
}

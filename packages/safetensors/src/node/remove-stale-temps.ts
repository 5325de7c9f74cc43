import { fateOf, fileSystem, join, resolve } from '@hookline/host';
import { type FileSystemOption, failed } from './file-system.js';
import type { FolderLock } from './lock-folder.js';
import { ownerOfTemp } from './temp-name.js';

export interface RemoveStaleTempsOptions extends FileSystemOption {
  /** The lock on this very folder, where you hold it: then what other machines left is stale, too. */
  readonly lock?: FolderLock;
}

/**
 * Removes what processes left behind that were killed while they wrote. What belongs to a process
 * that lives stays, and so does what belongs to another machine or container, of which nothing is known here.
 * Gives the names of what it removed.
 */
export async function removeStaleTemps(
  folder: string,
  { fs = fileSystem, lock }: RemoveStaleTempsOptions = {},
): Promise<string[]> {
  const isLocked = lock !== undefined && resolve(lock.folder) === resolve(folder);
  const removed: string[] = [];
  try {
    for (const name of await fs.readdir(folder)) {
      const owner = ownerOfTemp(name);
      if (owner === undefined) continue;
      const fate = fateOf(owner);
      if (fate === 'alive' || (fate === 'elsewhere' && !isLocked)) continue;
      await fs.rm(join(folder, name), { recursive: true, force: true });
      removed.push(name);
    }
    return removed;
  } catch (error) {
    throw failed(`Could not clean "${folder}"`, error);
  }
}

import { join, readdir } from '@hookline/host';
import { removeStaleTemps } from '@hookline/safetensors/node';

/**
 * Removes what processes of this machine that were killed in a save left in the folders of their runs: a run that was
 * killed in its first save is never resumed, and nobody else would look there. Returns how many there were.
 */
export async function clearOrphans(runsDir: string, folderName: string): Promise<number> {
  const ids = await readdir(runsDir).catch((): string[] => []);
  let count = 0;
  for (const id of ids) {
    // Most have no such folder, or are not ours to write to.
    const removed = await removeStaleTemps(join(runsDir, id, folderName)).catch((): string[] => []);
    count += removed.length;
  }
  return count;
}

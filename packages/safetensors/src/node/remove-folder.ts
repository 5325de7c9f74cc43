import { fileSystem } from '@hookline/host';
import { type FileSystemOption, failed, flushParent } from './file-system.js';
import { readManifest } from './manifest.js';
import { tempPathFor } from './temp-name.js';

/**
 * Removes a committed folder, and nothing else: without a manifest of ours it throws NOT_COMMITTED. It loses its name
 * first, so that nobody finds half of it; when the process is killed meanwhile, `removeStaleTemps` removes the rest.
 */
export async function removeFolder(path: string, { fs = fileSystem }: FileSystemOption = {}): Promise<void> {
  await readManifest(fs, path);
  const temporary = tempPathFor(path);
  try {
    await fs.rename(path, temporary);
    // Or a power cut might bring the name back without the files.
    await flushParent(fs, path);
    await fs.rm(temporary, { recursive: true, force: true });
  } catch (error) {
    throw failed(`Could not remove "${path}"`, error);
  }
}

import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

// Node's own `recursive` tries again whenever a parent seems to be missing. Under /proc, and on other file systems that
// answer ENOENT where nothing can be made, it never returns. Here each folder gets one more try once its parent is there.

/** Makes a folder and those above it. One that is there is fine. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (await isFolder(path)) return;
    if (!canHelp(error, path)) throw error;
    await makeFolder(dirname(path));
    await mkdir(path).catch(async (again: unknown) => {
      if (!(await isFolder(path))) throw again;
    });
  }
}

/** The same at once. */
export function makeFolderNow(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (isFolderNow(path)) return;
    if (!canHelp(error, path)) throw error;
    makeFolderNow(dirname(path));
    try {
      mkdirSync(path);
    } catch (again) {
      if (!isFolderNow(path)) throw again;
    }
  }
}

/** Whether to make the folder above may help. */
function canHelp(error: unknown, path: string): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path;
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isDirectory() ?? false;
}

function isFolderNow(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

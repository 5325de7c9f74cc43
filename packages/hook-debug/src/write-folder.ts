import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Makes a folder with these files, all of them or none: it gets its name when everything is on the disk. */
export async function writeFolder(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  const parent = dirname(folder);
  const temporary = join(parent, `.${basename(folder)}.${process.pid}.tmp`);
  await mkdir(parent, { recursive: true });
  // What an earlier process of the same id left behind.
  await rm(temporary, { recursive: true, force: true });
  try {
    await mkdir(temporary);
    for (const [name, content] of Object.entries(files)) {
      const handle = await open(join(temporary, name), 'wx');
      try {
        await handle.writeFile(content);
        await handle.sync();
      } finally {
        await handle.close();
      }
    }
    await rename(temporary, folder);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

import { type FileSystem, fileSystem, join } from '@hookline/host';
import { type FileSystemOption, isMissing } from './file-system.js';
import { type FolderManifest, readManifest } from './manifest.js';
import { verifyFile } from './read-file.js';

export type FolderVerdict =
  | { readonly ok: true; readonly manifest: FolderManifest }
  | { readonly ok: false; readonly reason: string };

/** Whether everything that was committed is there, to the bit. Files that the manifest does not name are not its business. */
export async function verifyFolder(
  path: string,
  { fs = fileSystem }: FileSystemOption = {},
): Promise<FolderVerdict> {
  try {
    const manifest = await readManifest(fs, path);
    // What is missing or short is found before anything is read.
    for (const [name, { bytes }] of manifest.files) await checkPresence(fs, join(path, name), bytes);
    for (const [name, digest] of manifest.files) await verifyFile(fs, join(path, name), digest);
    return { ok: true, manifest };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

async function checkPresence(fs: FileSystem, path: string, bytes: number): Promise<void> {
  const found = await fs.lstat(path).catch((error) => {
    throw isMissing(error) ? new Error(`"${path}" is missing.`) : error;
  });
  if (!found.isFile()) throw new Error(`"${path}" is not a file.`);
  if (found.size !== bytes) throw new Error(`"${path}" has ${found.size} bytes instead of ${bytes}.`);
}

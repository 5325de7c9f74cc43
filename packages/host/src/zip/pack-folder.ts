import { dirname, join, listFolder, lstat, mkdir, randomHex, readFile, rename, rm, writeFile } from '#host';
import { readZip, writeZip } from './zip.js';

/**
 * A folder as one file, such as a run that is to move from a browser to Node or back. What is still being written, and
 * locks, are left out: their names begin with a dot.
 */
export async function packFolder(folder: string): Promise<Uint8Array> {
  const files = new Map<string, Uint8Array>();
  await collect(folder, '', files);
  return writeZip(files);
}

/** Makes a new folder of a file that `packFolder` made; it is there as a whole or not at all. */
export async function unpackFolder(zip: Uint8Array, folder: string): Promise<void> {
  const files = readZip(zip);
  for (const name of files.keys()) {
    if (!isInside(name)) throw refused(`The zip holds "${name}", which leads out of the folder.`);
  }
  if (await exists(folder))
    throw refused(`"${folder}" exists, and nothing is overwritten. Choose another name.`);
  const temporary = join(dirname(folder), `.unpack-${randomHex(6)}`);
  try {
    for (const [name, bytes] of files) {
      await mkdir(dirname(join(temporary, name)), { recursive: true });
      await writeFile(join(temporary, name), bytes);
    }
    await mkdir(temporary, { recursive: true });
    await rename(temporary, folder);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

async function collect(folder: string, prefix: string, files: Map<string, Uint8Array>): Promise<void> {
  const entries = await listFolder(folder);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await collect(path, `${prefix}${entry.name}/`, files);
    else if (entry.isFile()) files.set(`${prefix}${entry.name}`, await readFile(path));
  }
}

function isInside(name: string): boolean {
  return !/[\\:]/.test(name) && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function refused(message: string): Error {
  return Object.assign(new Error(message), { code: 'BAD_ZIP' });
}

import { fileSystem } from '@hookline/host';
import { SafetensorsError } from '../errors.js';
import { type FileSystemOption, failed, flushParent, isMissing } from './file-system.js';
import { HashedFile } from './hashed-file.js';
import { readText } from './read-file.js';
import { openSealedJson, sealJson } from './sealed-json.js';
import { tempPathFor } from './temp-name.js';

/** Replaces a small file of JSON as a whole: readers find the old value or the new one, never something between. */
export async function writePointer(
  path: string,
  value: unknown,
  { fs = fileSystem }: FileSystemOption = {},
): Promise<void> {
  const temporary = tempPathFor(path);
  try {
    const text = sealJson({ value });
    await HashedFile.write(fs, temporary, (file) => file.append(new TextEncoder().encode(text)));
    await fs.rename(temporary, path);
    await flushParent(fs, path);
  } catch (error) {
    await fs.rm(temporary, { force: true }).catch(() => {});
    throw failed(`Could not write "${path}"`, error);
  }
}

/** Undefined when there is none; a damaged one throws CHECKSUM_MISMATCH. */
export async function readPointer(
  path: string,
  { fs = fileSystem }: FileSystemOption = {},
): Promise<unknown> {
  const text = await readText(fs, path).catch((error) => {
    if (isMissing(error.cause)) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const json = openSealedJson(text);
  if (json === undefined) throw new SafetensorsError('CHECKSUM_MISMATCH', `"${path}" is damaged.`);
  return json.value;
}

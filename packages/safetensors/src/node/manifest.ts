import { type FileSystem, join } from '@hookline/host';
import { SafetensorsError } from '../errors.js';
import { isMissing } from './file-system.js';
import type { FileDigest } from './hashed-file.js';
import { readText } from './read-file.js';
import { openSealedJson, sealJson } from './sealed-json.js';

/** What a committed folder holds. */
export interface FolderManifest {
  readonly version: number;
  /** What was given to `commitFolder`. */
  readonly info: unknown;
  readonly files: ReadonlyMap<string, FileDigest>;
}

export const MANIFEST_NAME = 'manifest.json';

const FORMAT = 'hookline-folder';
export const MANIFEST_VERSION = 1;

export function manifestText({ version, info, files }: FolderManifest): string {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  return sealJson({ format: FORMAT, version, info, files: Object.fromEntries(sorted) });
}

/** The manifest of a folder, checked against its own seal; throws NOT_COMMITTED with the reason. */
export async function readManifest(fs: FileSystem, folder: string): Promise<FolderManifest> {
  const refuse = (reason: string, cause?: unknown) =>
    new SafetensorsError('NOT_COMMITTED', `"${folder}" is not a complete folder: ${reason}.`, { cause });
  const text = await readText(fs, join(folder, MANIFEST_NAME)).catch((error) => {
    throw isMissing(error.cause) ? refuse(`it has no ${MANIFEST_NAME}`, error) : error;
  });
  const json = openSealedJson(text);
  if (json === undefined) throw refuse(`its ${MANIFEST_NAME} is damaged`);
  if (json.format !== FORMAT) throw refuse(`its ${MANIFEST_NAME} has another format`);
  if (json.version !== MANIFEST_VERSION) {
    throw refuse(
      `its ${MANIFEST_NAME} has version ${json.version}, and this package knows ${MANIFEST_VERSION}`,
    );
  }
  const files = new Map(Object.entries(json.files as Record<string, FileDigest>));
  for (const name of files.keys()) {
    if (!isFileName(name)) throw refuse(`its ${MANIFEST_NAME} names the file ${JSON.stringify(name)}`);
  }
  return { version: MANIFEST_VERSION, info: json.info, files };
}

/** Whether it is a name that stays in its folder, on every system. */
export function isFileName(name: string): boolean {
  return (
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no system should meet them in a name
    /^[^/\\:*?"<>|\u0000-\u001f]{1,200}$/.test(name) &&
    !/[. ]$/.test(name) &&
    !/^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i.test(name) &&
    name.toLowerCase() !== MANIFEST_NAME
  );
}

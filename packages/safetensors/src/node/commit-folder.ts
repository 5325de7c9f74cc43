import { type FileSystem, fileSystem, join } from '@hookline/host';
import type { EncodeOptions } from '../encode-safetensors.js';
import { SafetensorsError } from '../errors.js';
import { codeOf, exists, type FileSystemOption, failed, flushFolder, flushParent } from './file-system.js';
import { type FileDigest, HashedFile } from './hashed-file.js';
import {
  type FolderManifest,
  isFileName,
  MANIFEST_NAME,
  MANIFEST_VERSION,
  manifestText,
} from './manifest.js';
import { tempPathFor } from './temp-name.js';
import { type StreamedTensors, writeTensors } from './write-safetensors.js';

/** Takes the files of a folder. Each is on the disk when its promise settles. */
export interface FolderWriter {
  /** Several arrays are written one after the other: nothing is joined in memory. */
  write(name: string, content: Uint8Array | readonly Uint8Array[] | string): Promise<FileDigest>;
  writeSafetensors(name: string, tensors: StreamedTensors, options?: EncodeOptions): Promise<FileDigest>;
}

export interface CommitFolderOptions extends FileSystemOption {
  /** Anything that JSON can hold; kept in the manifest. */
  readonly info?: unknown;
}

/**
 * Writes a folder that is there as a whole or not at all, also after SIGKILL and power cuts. Files go to a temporary
 * folder beside it, and each is flushed; the manifest with their hashes comes last; then the folder gets its name.
 */
export async function commitFolder(
  target: string,
  write: (folder: FolderWriter) => Promise<unknown>,
  { info = null, fs = fileSystem }: CommitFolderOptions = {},
): Promise<FolderManifest> {
  const temporary = tempPathFor(target);
  let here = temporary;
  try {
    await refuseExisting(fs, target);
    await fs.mkdir(temporary);
    const writer = new TemporaryFolder(fs, temporary);
    await writer.run(write);
    const manifest = { version: MANIFEST_VERSION, info, files: writer.files };
    await writeText(fs, join(temporary, MANIFEST_NAME), manifestText(manifest));
    await flushFolder(fs, temporary);
    // Again: a rename would replace an empty folder without a word.
    await refuseExisting(fs, target);
    await giveName(fs, temporary, target);
    here = target;
    await flushParent(fs, target);
    return manifest;
  } catch (error) {
    await remove(fs, here, temporary);
    throw failed(`Could not commit "${target}"`, error);
  }
}

class TemporaryFolder implements FolderWriter {
  readonly files = new Map<string, FileDigest>();
  readonly #names = new Set<string>();
  readonly #pending: Promise<unknown>[] = [];
  #isOpen = true;

  constructor(
    private readonly fs: FileSystem,
    private readonly path: string,
  ) {}

  /** Waits for every file, also for those that `write` did not wait for. */
  async run(write: (folder: FolderWriter) => Promise<unknown>): Promise<void> {
    try {
      await write(this);
    } finally {
      this.#isOpen = false;
      await Promise.allSettled(this.#pending);
    }
    await Promise.all(this.#pending);
  }

  write(name: string, content: Uint8Array | readonly Uint8Array[] | string): Promise<FileDigest> {
    const parts =
      typeof content === 'string'
        ? [new TextEncoder().encode(content)]
        : ArrayBuffer.isView(content)
          ? [content]
          : content;
    return this.add(name, (path) =>
      HashedFile.write(this.fs, path, async (file) => {
        for (const part of parts) await file.append(part);
      }),
    );
  }

  writeSafetensors(name: string, tensors: StreamedTensors, options?: EncodeOptions): Promise<FileDigest> {
    return this.add(name, (path) => writeTensors(this.fs, path, tensors, options));
  }

  private add(name: string, create: (path: string) => Promise<FileDigest>): Promise<FileDigest> {
    const adding = this.addNow(name, create);
    this.#pending.push(adding);
    // Whoever does not wait for it learns of a failure from `run`.
    adding.catch(() => {});
    return adding;
  }

  private async addNow(name: string, create: (path: string) => Promise<FileDigest>): Promise<FileDigest> {
    if (!this.#isOpen) throw badName(name, 'comes after the folder was finished');
    if (!isFileName(name)) throw badName(name, 'is not a file name that every system allows');
    if (this.#names.has(name)) throw badName(name, 'is written twice');
    this.#names.add(name);
    const digest = await create(join(this.path, name));
    this.files.set(name, digest);
    return digest;
  }
}

async function refuseExisting(fs: FileSystem, target: string): Promise<void> {
  if (await exists(fs, target)) throw targetExists(target);
}

async function giveName(fs: FileSystem, temporary: string, target: string): Promise<void> {
  await fs.rename(temporary, target).catch((error) => {
    throw ['EEXIST', 'ENOTDIR', 'ENOTEMPTY'].includes(codeOf(error) ?? '')
      ? targetExists(target, error)
      : error;
  });
}

async function writeText(fs: FileSystem, path: string, text: string): Promise<void> {
  await HashedFile.write(fs, path, (file) => file.append(new TextEncoder().encode(text)));
}

/** What cannot be removed now is left to `removeStaleTemps`; the error that brought us here is the one to tell. */
async function remove(fs: FileSystem, here: string, temporary: string): Promise<void> {
  try {
    // Its name goes first: nobody must find half a folder there.
    if (here !== temporary) await fs.rename(here, temporary);
    await fs.rm(temporary, { recursive: true, force: true });
  } catch {}
}

function targetExists(target: string, cause?: unknown): SafetensorsError {
  return new SafetensorsError(
    'TARGET_EXISTS',
    `"${target}" exists, and nothing is overwritten. Choose another name or remove it.`,
    { cause },
  );
}

function badName(name: string, what: string): SafetensorsError {
  return new SafetensorsError('BAD_FILE_NAME', `The file ${JSON.stringify(name)} ${what}.`);
}

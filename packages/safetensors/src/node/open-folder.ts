import { type FileSystem, fileSystem, join } from '@hookline/host';
import { SafetensorsError } from '../errors.js';
import type { HeaderOptions } from '../header.js';
import { parseSafetensors, type SafetensorsContent } from '../parse-safetensors.js';
import { badContent, type FileSystemOption } from './file-system.js';
import { type FolderManifest, readManifest } from './manifest.js';
import { readVerified } from './read-file.js';

/** Reads a committed folder. What it gives is what was written: every file is checked against the manifest. */
export interface CommittedFolder {
  readonly path: string;
  readonly manifest: FolderManifest;
  read(name: string): Promise<Uint8Array>;
  readText(name: string): Promise<string>;
  readSafetensors(name: string, options?: HeaderOptions): Promise<SafetensorsContent>;
}

/** Reads and checks the manifest; files are checked as they are read, so nothing is read twice. */
export async function openFolder(
  path: string,
  { fs = fileSystem }: FileSystemOption = {},
): Promise<CommittedFolder> {
  return new Folder(fs, path, await readManifest(fs, path));
}

class Folder implements CommittedFolder {
  constructor(
    private readonly fs: FileSystem,
    readonly path: string,
    readonly manifest: FolderManifest,
  ) {}

  async read(name: string): Promise<Uint8Array> {
    const digest = this.manifest.files.get(name);
    if (digest === undefined) {
      throw new SafetensorsError(
        'BAD_FILE_NAME',
        `"${this.path}" has no file "${name}". It has ${[...this.manifest.files.keys()].join(', ')}.`,
      );
    }
    return readVerified(this.fs, join(this.path, name), digest);
  }

  async readText(name: string): Promise<string> {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await this.read(name));
  }

  async readSafetensors(name: string, options?: HeaderOptions): Promise<SafetensorsContent> {
    const bytes = await this.read(name);
    try {
      return parseSafetensors(bytes, options);
    } catch (error) {
      throw badContent(join(this.path, name), error);
    }
  }
}

import type { FileHandle, FileStats, OpenFlags } from '../contract.js';
import type { ContentWriter } from './contents.js';
import type { Entry } from './database.js';
import { asFailure, failure } from './errors.js';
import { contentsOf, discard, type Storage } from './storage.js';
import { find, put } from './tree.js';

/** Opens a file as Node does. A new one is in the tree before its content is written. */
export async function openFile(
  place: Storage,
  path: string,
  flags: OpenFlags,
  newId: () => string,
): Promise<FileHandle> {
  let replaced: Entry | undefined;
  const entry = await place.database.run(flags === 'r' ? 'readonly' : 'readwrite', async (stores) => {
    const found = await find(stores, path, 'open');
    if (found.entry?.kind === 'folder') throw failure('EISDIR', 'open', path);
    if (found.entry && flags === 'wx') throw failure('EEXIST', 'open', path);
    if (found.entry && flags !== 'w') return found.entry;
    if (flags === 'r') throw failure('ENOENT', 'open', path);
    replaced = found.entry;
    // Appending to a file of the file system copies it each time; a record is added to.
    const store = flags === 'a' || !place.opfs ? 'records' : 'opfs';
    return put(stores, found, { id: newId(), kind: 'file', store, modified: Date.now() });
  });
  if (replaced) await discard(place, [replaced]);
  return new OpenFile(place, path, entry);
}

class OpenFile implements FileHandle {
  #writer: Promise<ContentWriter> | undefined;
  #end = 0;

  constructor(
    private readonly place: Storage,
    private readonly path: string,
    private readonly entry: Entry,
  ) {}

  read(
    into: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }> {
    return this.#attempt('read', async () => {
      const bytes = await this.#contents.read(this.entry.id, position, position + length);
      into.set(bytes, offset);
      return { bytesRead: bytes.length };
    });
  }

  write(
    from: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }> {
    return this.#attempt('write', async () => {
      this.#writer ??= this.#contents.writer(this.entry.id);
      try {
        await (await this.#writer).write(from.subarray(offset, offset + length), position);
      } catch (error) {
        // A stream that failed cannot be closed. Closing this file must not hide why.
        this.#writer = undefined;
        throw error;
      }
      this.#end = Math.max(this.#end, position + length);
      return { bytesWritten: length };
    });
  }

  async appendFile(data: string | Uint8Array): Promise<void> {
    const { size } = await this.stat();
    await this.#writeAt(data, size);
    await this.sync();
  }

  /** From the beginning: used for files that were opened to be written as a whole. */
  writeFile(data: string | Uint8Array): Promise<void> {
    return this.#writeAt(data, this.#end);
  }

  truncate(length: number): Promise<void> {
    return this.#attempt('ftruncate', async () => {
      await this.#finish();
      await this.#contents.truncate(this.entry.id, length);
    });
  }

  stat(): Promise<FileStats> {
    return this.#attempt('fstat', async () => {
      const size = this.#writer ? this.#end : await this.#contents.size(this.entry.id);
      const isThere = await this.place.database.run('readonly', async (stores) => {
        const { entry } = await find(stores, this.path, 'fstat').catch(() => ({ entry: undefined }));
        return entry?.id === this.entry.id ? entry : undefined;
      });
      return statsOf(isThere ?? this.entry, size, isThere ? 1 : 0);
    });
  }

  sync(): Promise<void> {
    return this.#attempt('fsync', () => this.#finish());
  }

  /** Called while writing goes on: content becomes whole when it is finished, not before. */
  async datasync(): Promise<void> {}

  close(): Promise<void> {
    return this.#attempt('close', () => this.#finish());
  }

  get #contents() {
    return contentsOf(this.place, this.entry);
  }

  async #writeAt(data: string | Uint8Array, position: number): Promise<void> {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    await this.write(bytes, 0, bytes.length, position);
  }

  async #finish(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    await (await writer)?.finish();
  }

  async #attempt<Value>(call: string, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      throw await asFailure(error, call, this.path);
    }
  }
}

export function statsOf(entry: Entry, size: number, nlink = 1): FileStats {
  return {
    size,
    nlink,
    mtimeMs: entry.modified,
    isFile: () => entry.kind === 'file',
    isDirectory: () => entry.kind === 'folder',
  };
}

import type { FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { FileSystem } from '../src/node.js';

interface File {
  kind: 'file';
  data: Uint8Array;
  /** What a power cut leaves. */
  flushed: Uint8Array;
}

interface Folder {
  kind: 'folder';
  entries: Map<string, Entry>;
  flushed: Map<string, Entry>;
  /** Since it was flushed. A power cut leaves any of them, not only the first. */
  changes: Change[];
}

type Entry = File | Folder;

/** Names that end up meaning something else. A rename is one change: it happens or it does not. */
interface Change {
  remove?: string;
  add?: [name: string, entry: Entry];
}

export interface MemoryDiskOptions {
  /** Told before each change, so that the power can be cut between any two. */
  beforeChange?: (disk: MemoryDisk) => Promise<void>;
  /** Flushing does nothing, as on a disk that lies. */
  isForgetful?: boolean;
}

/**
 * A disk in memory that forgets what was not flushed, in any order: of the bytes of a file and of the names in a folder
 * a power cut leaves what was flushed and any part of what came later. No file system is worse than that.
 */
export class MemoryDisk {
  readonly #root: Folder;

  constructor(
    private readonly options: MemoryDiskOptions = {},
    root: Folder = newFolder(),
  ) {
    this.#root = root;
  }

  /** The disk after a power cut; `keeps` decides about each change that was not flushed. */
  afterPowerCut(keeps: () => boolean): MemoryDisk {
    const copies = new Map<Entry, Entry>();
    return new MemoryDisk({}, remembered(this.#root, keeps, copies) as Folder);
  }

  readonly fs: FileSystem = {
    lstat: async (path: string) => {
      const entry = this.find(path);
      return { isFile: () => entry.kind === 'file', size: sizeOf(entry) };
    },
    mkdir: (path: string) => this.change(() => void this.add(path, newFolder())),
    open: (path: string, flags: string) => this.open(path, flags),
    readdir: async (path: string) => [...this.folder(path).entries.keys()],
    rename: (from: string, to: string) =>
      this.change(() => {
        const folder = this.folder(dirname(from));
        const entry = this.find(from);
        folder.entries.delete(basename(from));
        folder.entries.set(basename(to), entry);
        folder.changes.push({ remove: basename(from), add: [basename(to), entry] });
      }),
    rm: (path: string) => this.change(() => this.remove(path)),
    utimes: async () => {},
  } as unknown as FileSystem;

  private async open(path: string, flags: string): Promise<FileHandle> {
    const file: File = { kind: 'file', data: new Uint8Array(0), flushed: new Uint8Array(0) };
    if (flags === 'wx') await this.change(() => void this.add(path, file));
    const entry = flags === 'wx' ? file : this.find(path);
    const flush = () => this.change(() => !this.options.isForgetful && flushEntry(entry));
    const handle = {
      stat: async () => ({ size: sizeOf(entry), mtimeMs: 0 }),
      read: async (target: Uint8Array, at: number, length: number, position: number) => {
        const bytes = (entry as File).data.subarray(position, position + length);
        target.set(bytes, at);
        return { bytesRead: bytes.byteLength };
      },
      write: async (source: Uint8Array, at: number, length: number, position: number) => {
        await this.change(() => writeBytes(entry as File, source.subarray(at, at + length), position));
        return { bytesWritten: length };
      },
      sync: flush,
      datasync: flush,
      close: async () => {},
    };
    return handle as unknown as FileHandle;
  }

  private async change(run: () => void): Promise<void> {
    await this.options.beforeChange?.(this);
    run();
  }

  private add(path: string, entry: Entry): void {
    const folder = this.folder(dirname(path));
    if (folder.entries.has(basename(path))) throw systemError('EEXIST', path);
    folder.entries.set(basename(path), entry);
    folder.changes.push({ add: [basename(path), entry] });
  }

  private remove(path: string): void {
    const folder = this.folder(dirname(path));
    const entry = folder.entries.get(basename(path));
    if (entry?.kind === 'folder')
      for (const name of [...entry.entries.keys()]) this.remove(`${path}/${name}`);
    folder.entries.delete(basename(path));
    folder.changes.push({ remove: basename(path) });
  }

  private folder(path: string): Folder {
    const entry = this.find(path);
    if (entry.kind !== 'folder') throw systemError('ENOTDIR', path);
    return entry;
  }

  private find(path: string): Entry {
    let entry: Entry | undefined = this.#root;
    for (const name of path.split('/').filter(Boolean)) {
      entry = entry?.kind === 'folder' ? entry.entries.get(name) : undefined;
    }
    if (entry === undefined) throw systemError('ENOENT', path);
    return entry;
  }
}

function newFolder(entries = new Map<string, Entry>()): Folder {
  return { kind: 'folder', entries, flushed: new Map(entries), changes: [] };
}

/** What is left of an entry. One that has two names is the same after the power cut, too. */
function remembered(entry: Entry, keeps: () => boolean, copies: Map<Entry, Entry>): Entry {
  const known = copies.get(entry);
  if (known !== undefined) return known;
  if (entry.kind === 'file') {
    const data = bytesLeft(entry, keeps);
    const file: File = { kind: 'file', data, flushed: data };
    copies.set(entry, file);
    return file;
  }
  const names = new Map(entry.flushed);
  for (const { remove, add } of entry.changes) {
    if (!keeps()) continue;
    if (remove !== undefined) names.delete(remove);
    if (add !== undefined) names.set(...add);
  }
  const folder = newFolder(
    new Map([...names].map(([name, each]) => [name, remembered(each, keeps, copies)])),
  );
  copies.set(entry, folder);
  return folder;
}

/** All of it, what was flushed, or the length of the new with the bytes of the old. */
function bytesLeft({ data, flushed }: File, keeps: () => boolean): Uint8Array {
  if (keeps()) return data.slice();
  if (keeps()) return flushed.slice();
  const half = new Uint8Array(data.byteLength);
  half.set(flushed.subarray(0, half.byteLength));
  return half;
}

function writeBytes(file: File, bytes: Uint8Array, position: number): void {
  const data = new Uint8Array(Math.max(file.data.byteLength, position + bytes.byteLength));
  data.set(file.data);
  data.set(bytes, position);
  file.data = data;
}

function flushEntry(entry: Entry): void {
  if (entry.kind === 'file') entry.flushed = entry.data;
  else {
    entry.flushed = new Map(entry.entries);
    entry.changes = [];
  }
}

function sizeOf(entry: Entry): number {
  return entry.kind === 'file' ? entry.data.byteLength : 0;
}

function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code, syscall: 'memory' });
}

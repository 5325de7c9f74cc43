import { createHash, randomBytes } from 'node:crypto';
import { fdatasync, fsync } from 'node:fs';
import * as promises from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type {
  FileHandle,
  FileSystem,
  ListFolder,
  Paths,
  ProcessEvents,
  ProcessMark,
  Sha256,
  TextStream,
  WholeFiles,
} from '../contract.js';
import { makeFolder } from '../node/make-folder.js';

export { fateOf, thisProcess } from '../node/process-mark.js';

export const lstat: FileSystem['lstat'] = promises.lstat;
export const mkdir: FileSystem['mkdir'] = (folder, { recursive = false } = {}) =>
  recursive ? makeFolder(folder) : promises.mkdir(folder);
export const open: FileSystem['open'] = promises.open;
export const readdir: FileSystem['readdir'] = promises.readdir;
export const rename: FileSystem['rename'] = promises.rename;
export const rm: FileSystem['rm'] = promises.rm;
export const utimes: FileSystem['utimes'] = promises.utimes;

/** What this module gives, as one object. */
export const fileSystem: FileSystem = { ...promises, mkdir };

export const readFile: WholeFiles['readFile'] = promises.readFile as WholeFiles['readFile'];
export const stat: WholeFiles['stat'] = promises.stat;
export const writeFile: WholeFiles['writeFile'] = promises.writeFile;
export const listFolder: ListFolder = (folder) => promises.readdir(folder, { withFileTypes: true });

export const basename: Paths['basename'] = path.basename;
export const dirname: Paths['dirname'] = path.dirname;
export const extname: Paths['extname'] = path.extname;
export const isAbsolute: Paths['isAbsolute'] = path.isAbsolute;
export const join: Paths['join'] = path.join;
export const relative: Paths['relative'] = path.relative;
export const resolve: Paths['resolve'] = path.resolve;
export const sep: Paths['sep'] = path.sep;

/** Waits until the disk has what was written. `dataOnly` leaves out what is known about the file, such as its times. */
export function flush(handle: FileHandle, { dataOnly = false }: { dataOnly?: boolean } = {}): Promise<void> {
  // Yarn Plug'n'Play puts its own handles in place of Node's, and they cannot flush. Their descriptors are Node's.
  if (process.versions.pnp !== undefined) {
    return promisify(dataOnly ? fdatasync : fsync)((handle as promises.FileHandle).fd);
  }
  return dataOnly ? handle.datasync() : handle.sync();
}

/** The bytes that are free where a folder is; undefined where the system does not tell. */
export async function freeSpace(folder: string): Promise<number | undefined> {
  try {
    const { blocks, bavail, bsize } = await promises.statfs(folder);
    return blocks === 0 ? undefined : bavail * bsize;
  } catch {
    return undefined;
  }
}

export function createSha256(): Sha256 {
  const hash = createHash('sha256');
  const sum: Sha256 = {
    update: (data) => {
      hash.update(data);
      return sum;
    },
    digest: () => hash.digest('hex'),
  };
  return sum;
}

/** Memory that nobody has cleared, aligned and as long as it says: not from the pool that small buffers share. */
export function newMemory(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);
}

/** As many random bytes, in hexadecimal digits. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

/** Rejects when the signal is aborted meanwhile. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return wait(milliseconds, undefined, { signal });
}

export function currentFolder(): string {
  return process.cwd();
}

/** A variable of the environment; in a browser there are none. */
export function environment(name: string): string | undefined {
  return process.env[name];
}

/** All of them, as they are now. */
export function environmentVariables(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

export function standardOutput(): TextStream {
  return process.stdout;
}

export function standardError(): TextStream {
  return process.stderr;
}

export const processEvents: ProcessEvents = {
  on: (event, listener) => void process.on(event, listener as () => void),
  off: (event, listener) => void process.off(event, listener as () => void),
  listeners: (event) => process.listeners(event as NodeJS.Signals),
  raise: (signal) => void process.kill(process.pid, signal),
};

export function hostName(): string {
  return os.hostname();
}

/** Which browser this is. */
export function userAgent(): string {
  return `Node ${process.version}`;
}

/** What people call the owner of a mark. */
export function ownerName({ pid }: ProcessMark): string {
  return `process ${pid}`;
}

import { fdatasync, fsync } from 'node:fs';
import type * as promises from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { SafetensorsError } from '../errors.js';

/** The parts of node:fs/promises that are used. Tests of what happens when a disk fails give their own. */
export type FileSystem = Pick<
  typeof promises,
  'lstat' | 'mkdir' | 'open' | 'readdir' | 'rename' | 'rm' | 'utimes'
>;

export interface FileSystemOption {
  /** node:fs/promises when absent. */
  readonly fs?: FileSystem;
}

/** What systems answer that cannot flush a folder; Windows does not let one be opened. */
const CANNOT_FLUSH = ['EINVAL', 'EISDIR', 'EPERM'];

/** Waits until the disk has what was written. `dataOnly` leaves out what is known about the file, such as its times. */
export function flush(
  handle: promises.FileHandle,
  { dataOnly = false }: { dataOnly?: boolean } = {},
): Promise<void> {
  // Yarn Plug'n'Play puts its own handles in place of Node's, and they cannot flush. Their descriptors are Node's.
  if (process.versions.pnp !== undefined) return promisify(dataOnly ? fdatasync : fsync)(handle.fd);
  return dataOnly ? handle.datasync() : handle.sync();
}

/** Makes the names in a folder last: without it a new or renamed file may be gone after a power cut. */
export async function flushFolder(fs: FileSystem, folder: string): Promise<void> {
  try {
    const handle = await fs.open(folder, 'r');
    try {
      await flush(handle);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!CANNOT_FLUSH.includes(codeOf(error) ?? '')) throw error;
  }
}

export function flushParent(fs: FileSystem, path: string): Promise<void> {
  return flushFolder(fs, dirname(path));
}

export async function exists(fs: FileSystem, path: string): Promise<boolean> {
  try {
    await fs.lstat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** The system's own name of an error, such as ENOSPC. */
export function codeOf(error: unknown): string | undefined {
  const code = Object(error).code;
  return typeof code === 'string' ? code : undefined;
}

/**
 * An error of the system with its place in our work, and again with a place around it; `cause` is always that of the
 * system. All others pass: they are named, or the caller's own.
 */
export function failed(what: string, error: unknown): Error {
  const { message, code, cause, syscall } = Object(error);
  if (code !== 'FILE_SYSTEM' && syscall === undefined) return error as Error;
  const options = { cause: code === 'FILE_SYSTEM' ? cause : error };
  return new SafetensorsError('FILE_SYSTEM', `${what}: ${message}`, options);
}

import { dirname, type FileSystem, flush } from '@hookline/host';
import { SafetensorsError } from '../errors.js';

export interface FileSystemOption {
  /** That of the host when absent: node:fs/promises, or the storage of the browser. Tests of what happens when a disk fails give their own. */
  readonly fs?: FileSystem;
}

/** What systems answer that cannot flush a folder; Windows does not let one be opened. */
const CANNOT_FLUSH = ['EINVAL', 'EISDIR', 'EPERM'];

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

/** What is wrong with the content of a file is found by readers that do not know its name. */
export function badContent(path: string, error: unknown): Error {
  if (!(error instanceof SafetensorsError) || error.code === 'FILE_SYSTEM') return error as Error;
  return new SafetensorsError(error.code, `"${path}" cannot be read as safetensors. ${error.message}`, {
    cause: error,
  });
}

import { fileSystem } from '../browser/files.js';
import type { FileHandle, FileSystem, ProcessEvents, TextStream } from '../contract.js';

export { fileSystem, freeSpace, listFolder, readFile, stat, writeFile } from '../browser/files.js';
export { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from '../browser/paths.js';
export { fateOf, ownerName, thisProcess } from '../browser/process-mark.js';
export { createSha256 } from '../browser/sha256.js';

export const lstat: FileSystem['lstat'] = fileSystem.lstat;
export const mkdir: FileSystem['mkdir'] = fileSystem.mkdir;
export const open: FileSystem['open'] = fileSystem.open;
export const readdir: FileSystem['readdir'] = fileSystem.readdir;
export const rename: FileSystem['rename'] = fileSystem.rename;
export const rm: FileSystem['rm'] = fileSystem.rm;
export const utimes: FileSystem['utimes'] = fileSystem.utimes;

/** A file of the browser is whole when it is finished; there is nothing else to wait for. */
export function flush(handle: FileHandle, { dataOnly = false }: { dataOnly?: boolean } = {}): Promise<void> {
  return dataOnly ? handle.datasync() : handle.sync();
}

export function newMemory(bytes: number): Uint8Array {
  return new Uint8Array(bytes);
}

/** As many random bytes, in hexadecimal digits. */
export function randomHex(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Rejects when the signal is aborted meanwhile. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    // A signal may outlive many sleeps, and must not keep them.
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

export function currentFolder(): string {
  return '/';
}

/** A page has no environment. */
export function environment(_name: string): string | undefined {
  return undefined;
}

export function environmentVariables(): Readonly<Record<string, string | undefined>> {
  return {};
}

export function standardOutput(): TextStream {
  return CONSOLE;
}

export function standardError(): TextStream {
  return CONSOLE;
}

/** The console keeps its own lines. */
const CONSOLE: TextStream = {
  write: (text, done) => {
    const lines = text.replace(/\n$/, '');
    if (lines !== '') console.log(lines);
    done?.();
  },
};

export const processEvents: ProcessEvents = {
  on: () => {},
  off: () => {},
  listeners: () => [],
  raise: () => {},
};

export function hostName(): string {
  return globalThis.location?.host ?? 'this browser';
}

/** Which browser this is. */
export function userAgent(): string {
  return globalThis.navigator?.userAgent ?? 'a browser';
}

import type { FileHandle } from 'node:fs/promises';
import * as promises from 'node:fs/promises';
import type { FileSystem } from '../src/node.js';

export interface Failure {
  /** Which operation fails, counted from 1. */
  nth: number;
  code: 'EIO' | 'ENOSPC';
  /** Whether everything after it fails, too: the disk is gone. */
  forGood: boolean;
  /** Counts only these, such as `rename` or `sync`; all when absent. */
  only?: string;
}

/** The real file system with one failure in it. */
export class FailingFs {
  /** Operations so far, among those that count. */
  count = 0;

  constructor(private readonly failure: Failure) {}

  get hasFailed(): boolean {
    return this.count >= this.failure.nth;
  }

  readonly fs: FileSystem = this.guarded(promises);

  private guarded<Target extends object>(target: Target): Target {
    return new Proxy(target, {
      get: (_, key) => {
        const value = Reflect.get(target, key);
        if (typeof value !== 'function' || typeof key !== 'string') return value;
        return async (...args: unknown[]) => {
          // A handle is given back whatever happens, as close() does on Linux.
          if (key !== 'close') this.strike(key);
          const result = await value.apply(target, args);
          return key === 'open' ? this.guarded(result as FileHandle) : result;
        };
      },
    });
  }

  private strike(operation: string): void {
    const { nth, code, forGood, only = operation } = this.failure;
    if (operation !== only) return;
    this.count++;
    if (forGood ? this.count >= nth : this.count === nth) {
      const message = `${code}: injected, ${operation}`;
      throw Object.assign(new Error(message), { code, errno: -5, syscall: operation });
    }
  }
}

/** The real file system with changed handles. */
export function withHandles(change: (handle: FileHandle) => FileHandle): FileSystem {
  return { ...promises, open: async (...args) => change(await promises.open(...args)) };
}

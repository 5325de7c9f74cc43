import type { HooklineError } from '@hookline/hook-api';
import { formatBytes } from '../bytes.js';
import { activationsError } from '../errors.js';

/** Something that takes memory until it is disposed. */
export interface Stored {
  readonly path: string;
  readonly bytes: number;
  /** When it was stored, in passes of the manager. */
  readonly storedAt: number;
  dispose(): void;
}

export interface StoreLimits {
  /** Of each hook. */
  readonly maxStates: number;
  /** Of all hooks together. */
  readonly maxBytes: number;
}

/**
 * Keeps what the capture hooks saw: for each hook the newest few, for all together no more than the bytes allow. What
 * is oldest goes first, and before the new comes in, so that the limit holds at every moment.
 */
export class CaptureStore<Entry extends Stored> {
  /** With their hooks. Maps and sets keep the order of insertion, and give up any entry at once. */
  readonly #all = new Map<Entry, string>();
  readonly #byHook = new Map<string, Set<Entry>>();
  readonly #limits: StoreLimits;
  #bytes = 0;

  constructor(limits: StoreLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Makes room, then stores what `create` makes. The size must be known before, or it would be exceeded. */
  add(hook: string, path: string, bytes: number, create: () => Entry): void {
    const { maxBytes, maxStates } = this.#limits;
    if (bytes > maxBytes) throw tooLarge(hook, path, bytes, maxBytes);
    const own = this.#byHook.get(hook) ?? new Set();
    this.#byHook.set(hook, own);
    while (own.size >= maxStates) this.#drop(first(own)!);
    while (this.#bytes + bytes > maxBytes) this.#drop(first(this.#all.keys())!);
    const entry = create();
    own.add(entry);
    this.#all.set(entry, hook);
    this.#bytes += entry.bytes;
  }

  get(hook: string): Entry[] {
    return [...(this.#byHook.get(hook) ?? [])];
  }

  all(): Entry[] {
    return [...this.#all.keys()];
  }

  clear(hook: string): void {
    for (const entry of this.get(hook)) this.#drop(entry);
    this.#byHook.delete(hook);
  }

  clearAll(): void {
    for (const hook of [...this.#byHook.keys()]) this.clear(hook);
  }

  /** Drops what was stored before that pass. */
  dropBefore(pass: number): void {
    for (const entry of this.#all.keys()) if (entry.storedAt < pass) this.#drop(entry);
  }

  #drop(entry: Entry): void {
    this.#byHook.get(this.#all.get(entry)!)?.delete(entry);
    this.#all.delete(entry);
    this.#bytes -= entry.bytes;
    entry.dispose();
  }
}

function first<Entry>(entries: Iterable<Entry>): Entry | undefined {
  for (const entry of entries) return entry;
  return undefined;
}

function tooLarge(hook: string, path: string, bytes: number, maxBytes: number): HooklineError {
  return activationsError(
    'STATE_TOO_LARGE',
    `One state of "${path}" for capture hook "${hook}" takes ${formatBytes(bytes)}, and memoryLimitMb allows ` +
      `${formatBytes(maxBytes)} for all. Raise it, capture only inputs or only outputs, or use store: 'statistics'.`,
  );
}

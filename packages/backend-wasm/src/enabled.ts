import * as tf from '@tensorflow/tfjs-core';
import type { KernelContext } from './backend/kernel-context.js';
import type { WasmBackend } from './backend/wasm-backend.js';

/** What is enabled. */
export interface Training {
  /** Whether the machine multiplies and adds with one rounding, and may. */
  readonly fma: boolean;
  /** How many threads compute large operations; with `auto` as many at most. */
  readonly threads: number;
  /** Why there is one thread although the machine may have more. */
  readonly whyOneThread: string | undefined;
  /** The instructions of native kernels, `avx2` or `avx512`; undefined where WebAssembly computes everything. */
  readonly native: string | undefined;
  /** Why there are no native kernels. */
  readonly whyNotNative: string | undefined;
  /** Restores what tfjs has. */
  disable(): void;
}

export interface Threads {
  readonly threads: number;
  /** Whether the other threads start only when there has been work for them. */
  readonly late: boolean;
  readonly whyOneThread?: string | undefined;
}

export interface Enabled extends Threads {
  readonly fma: boolean;
  readonly layers: boolean;
  readonly engine: boolean;
  readonly native: boolean;
  readonly training: Promise<Training>;
  /** False before everything is in place, and after `disable()`. */
  isOn: boolean;
  /** Set as soon as the kernels are registered. */
  contextOf?: (backend: WasmBackend) => KernelContext;
}

const ENABLED: unique symbol = Symbol.for('hookline.backend-wasm.enabled');

// On the global object, like the registry of tfjs: a second copy of this package must see it.
type Registry = { [ENABLED]?: Enabled | undefined };

/** What is enabled in this process; with an argument, replaces it. */
export function enabledEntry(...entry: [] | [Enabled | undefined]): Enabled | undefined {
  const registry = globalThis as Registry;
  if (entry.length === 1) registry[ENABLED] = entry[0];
  return registry[ENABLED];
}

/** For operations that are not kernels: defined when training is enabled and wasm is the active backend. */
export function activeContext(): KernelContext | undefined {
  const contextOf = enabledEntry()?.contextOf;
  if (!contextOf || tf.getBackend() !== 'wasm') return undefined;
  return contextOf(tf.backend() as unknown as WasmBackend);
}

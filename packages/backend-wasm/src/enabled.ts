import * as tf from '@tensorflow/tfjs-core';
import type { KernelContext } from './backend/kernel-context.js';
import type { WasmBackend } from './backend/wasm-backend.js';

/** What was enabled. */
export interface Training {
  /** Whether results come from instructions with one rounding. */
  readonly fma: boolean;
  /** How many threads compute large operations; 1 without the option `threads`. */
  readonly threads: number;
  /** Puts everything back as tfjs has it. */
  disable(): void;
}

export interface Enabled {
  readonly fma: boolean;
  readonly layers: boolean;
  readonly engine: boolean;
  readonly threads: number;
  readonly training: Promise<Training>;
  /** There once the kernels are registered. */
  contextOf?: (backend: WasmBackend) => KernelContext;
}

const ENABLED: unique symbol = Symbol.for('hookline.backend-wasm.enabled');

// On the global object, like the registry of tfjs: a second copy of this package must see it.
type Registry = { [ENABLED]?: Enabled | undefined };

/** What is enabled in this process; with an argument, sets it. */
export function enabledEntry(...entry: [] | [Enabled | undefined]): Enabled | undefined {
  const registry = globalThis as Registry;
  if (entry.length === 1) registry[ENABLED] = entry[0];
  return registry[ENABLED];
}

/** What operations outside of kernels run with: there when training is enabled and wasm is the active backend. */
export function activeContext(): KernelContext | undefined {
  const contextOf = enabledEntry()?.contextOf;
  if (!contextOf || tf.getBackend() !== 'wasm') return undefined;
  return contextOf(tf.backend() as unknown as WasmBackend);
}

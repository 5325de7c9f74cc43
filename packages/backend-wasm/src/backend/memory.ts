import { BackendWasmError } from '../errors.js';
import type { WasmBackend } from './wasm-backend.js';

const GUARDED: unique symbol = Symbol.for('hookline.backend-wasm.guarded');

type Malloc = ((bytes: number) => number) & { [GUARDED]?: true };

/**
 * tfjs takes whatever `malloc` returns for an address, even the 0 that means that no memory is left: from then on tensors
 * overwrite each other. Here that is an error.
 */
export function guardAllocation({ wasm }: WasmBackend): void {
  if ((wasm._malloc as Malloc)[GUARDED]) return;
  // On its first call the stub of emscripten replaces itself, and would replace the guard.
  wasm._free(wasm._malloc(1));
  const stock = wasm._malloc;
  const guarded: Malloc = (bytes) => {
    const address = stock(bytes);
    if (address === 0) throw outOfMemory(bytes, wasm.HEAPU8.length);
    return address;
  };
  guarded[GUARDED] = true;
  wasm._malloc = guarded;
}

function outOfMemory(bytes: number, held: number): BackendWasmError {
  const mb = (count: number) => `${Math.ceil(count / 2 ** 20)} MB`;
  return new BackendWasmError(
    'OUT_OF_MEMORY',
    `The memory of the wasm backend is full: ${mb(bytes)} more were asked for, it has grown to ${mb(held)}, and its ` +
      'limit is 4096 MB. Use smaller batches or a smaller model, dispose of tensors that are no longer needed ' +
      '(tf.memory() counts them), or train on tfjs-node.',
  );
}

/** Memory for intermediate results of single kernels. It is reused, and grows to the largest size needed. */
export class Scratch {
  readonly #buffers = new Map<string, { address: number; bytes: number }>();

  constructor(private readonly backend: WasmBackend) {}

  /** An aligned address with room for the bytes, valid until the same name is asked for again. */
  take(name: string, bytes: number): number {
    const held = this.#buffers.get(name);
    if (held && held.bytes >= bytes) return aligned(held.address);
    const { wasm } = this.backend;
    if (held) {
      this.#buffers.delete(name);
      wasm._free(held.address);
    }
    const address = wasm._malloc(bytes + SLACK) >>> 0;
    this.#buffers.set(name, { address, bytes });
    return aligned(address);
  }

  free(): void {
    for (const { address } of this.#buffers.values()) this.backend.wasm._free(address);
    this.#buffers.clear();
  }
}

// For alignment, and for loops that read up to 28 bytes past a row without using them.
const SLACK = 128;

function aligned(address: number): number {
  return Math.ceil(address / 64) * 64;
}

import { BackendWasmError } from '../errors.js';
import type { WasmBackend } from './wasm-backend.js';

const GUARDED: unique symbol = Symbol.for('hookline.backend-wasm.guarded');

type Malloc = ((bytes: number) => number) & { [GUARDED]?: true };

/**
 * Stock takes what `malloc` gives for an address, also when that is 0 because nothing is left: from then on tensors
 * lie on top of each other. Here it is an error with a name.
 */
export function guardAllocation({ wasm }: WasmBackend): void {
  if ((wasm._malloc as Malloc)[GUARDED]) return;
  // On its first call emscripten's stub puts the real function in its own place, over whatever is there then.
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
    `The memory of the wasm backend is full: ${mb(bytes)} more were asked for, it has grown to ${mb(held)}, and it ` +
      'can have 4096 MB. Use smaller batches or a smaller model, dispose of tensors that are no longer needed ' +
      '(tf.memory() counts them), or train on tfjs-node.',
  );
}

/** Memory for intermediate results of single kernels. It is reused, and grows with the largest that was needed. */
export class Scratch {
  readonly #buffers = new Map<string, { address: number; bytes: number }>();

  constructor(private readonly backend: WasmBackend) {}

  /** An aligned address with room for the bytes, until the same name is asked for again. */
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

// For the alignment, and for loops that read up to 28 bytes past a row, whose values they do not use.
const SLACK = 128;

function aligned(address: number): number {
  return Math.ceil(address / 64) * 64;
}

import { BackendWasmError } from '../errors.js';

const IMPORTS = 2;
const MEMORIES = 5;

/** Kinds of imports; the modules that this is for have no others. */
const FUNCTION = 0;
const TABLE = 1;
const MEMORY = 2;

const HAS_MAXIMUM = 1;
const IS_SHARED = 2;

/**
 * A copy of a module whose memory, its own or imported, is declared shared: one bit in front of its sizes. Every other
 * instruction means the same on shared memory.
 */
export function withSharedMemory(bytes: Uint8Array): Uint8Array {
  const at = limitsOf(bytes);
  if (at === undefined || bytes[at] !== HAS_MAXIMUM) {
    throw new BackendWasmError(
      'NO_THREADS',
      'This build of the WebAssembly module has no memory that threads could share. Install ' +
        '@tensorflow/tfjs-backend-wasm 4.22.0, or leave out the option `threads`.',
    );
  }
  // Not slice(): of a Buffer of Node that is a view.
  const copy = new Uint8Array(bytes);
  copy[at] = HAS_MAXIMUM | IS_SHARED;
  return copy;
}

/** Where the module says how large its memory is. */
function limitsOf(bytes: Uint8Array): number | undefined {
  const reader = new Reader(bytes, 8);
  while (reader.at < bytes.length) {
    const id = reader.byte();
    const end = reader.number() + reader.at;
    if (id === MEMORIES && reader.number() > 0) return reader.at;
    const imported = id === IMPORTS ? importedMemory(reader) : undefined;
    if (imported !== undefined) return imported;
    reader.at = end;
  }
  return undefined;
}

function importedMemory(reader: Reader): number | undefined {
  for (let left = reader.number(); left > 0; left--) {
    reader.skip(reader.number());
    reader.skip(reader.number());
    const kind = reader.byte();
    if (kind === MEMORY) return reader.at;
    if (kind === FUNCTION) reader.number();
    else if (kind === TABLE) {
      reader.skip(1);
      const limits = reader.byte();
      reader.number();
      if (limits & HAS_MAXIMUM) reader.number();
    } else reader.skip(2);
  }
  return undefined;
}

class Reader {
  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
  ) {}

  byte(): number {
    return this.bytes[this.at++]!;
  }

  skip(count: number): void {
    this.at += count;
  }

  /** An unsigned number, seven bits to a byte. */
  number(): number {
    let [value, factor, byte] = [0, 1, 0];
    do {
      byte = this.byte();
      value += (byte & 127) * factor;
      factor *= 128;
    } while (byte & 128);
    return value;
  }
}

import { withSharedMemory } from '../module/shared-memory.js';

type Instantiate = (source: unknown, imports?: object) => Promise<unknown>;

interface Instantiating {
  instantiate: Instantiate;
}

/**
 * Starts the wasm backend of tfjs with memory that threads can share. tfjs offers that only in its build with threads,
 * which does not start in Node. In its plain build one bit has to change, which happens here while it is loaded.
 */
export async function startShared<Backend>(start: () => Promise<Backend>): Promise<Backend> {
  const { WebAssembly } = globalThis as unknown as { WebAssembly: Instantiating };
  const stock = WebAssembly.instantiate;
  let failure: unknown;
  const sharing: Instantiate = async (source, imports) => {
    // Other modules that are loaded at the same time stay as they are.
    if (!isBackend(source)) return stock.call(WebAssembly, source, imports);
    try {
      return await stock.call(WebAssembly, withSharedMemory(bytesOf(source)), imports);
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  WebAssembly.instantiate = sharing;
  try {
    return await start();
  } catch (error) {
    // tfjs reports every failure as a missing file.
    throw failure ?? error;
  } finally {
    if (WebAssembly.instantiate === sharing) WebAssembly.instantiate = stock;
  }
}

const NAME_OF_AN_EXPORT = 'register_tensor';

function isBackend(source: unknown): source is ArrayBuffer | Uint8Array {
  if (!(source instanceof ArrayBuffer || ArrayBuffer.isView(source))) return false;
  const bytes = bytesOf(source as ArrayBuffer | Uint8Array);
  const first = NAME_OF_AN_EXPORT.charCodeAt(0);
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if ([...NAME_OF_AN_EXPORT].every((character, i) => bytes[at + i] === character.charCodeAt(0)))
      return true;
  }
  return false;
}

function bytesOf(source: ArrayBuffer | Uint8Array): Uint8Array {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
}

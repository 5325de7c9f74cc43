import { BackendWasmError } from '../errors.js';
import { fromBase64 } from './base64.js';
import { withSharedMemory } from './shared-memory.js';
import { type CompiledModule, isShared, type Memory, WebAssembly } from './web-assembly.js';

export interface LoadedModule {
  /** The module for a memory, shared or not. */
  compiledFor(memory: Memory): CompiledModule;
  /** Whether it multiplies and adds in one instruction, with one rounding. */
  readonly fma: boolean;
}

/** Compiles the variant with FMA where the machine has it and it is wanted, otherwise the plain one. */
export async function loadModule(wantFma: boolean, memory: Memory): Promise<LoadedModule> {
  if (wantFma) {
    const { moduleBytes } = await import('./embedded-fma.js');
    const bytes = decoded(await moduleBytes());
    if (isValid(bytes)) return { compiledFor: await compile(bytes, memory), fma: true };
  }
  const { moduleBytes } = await import('./embedded-simd.js');
  const bytes = decoded(await moduleBytes());
  if (!WebAssembly.validate(bytes)) {
    throw new BackendWasmError(
      'NO_SIMD',
      '@hookline/backend-wasm needs WebAssembly SIMD, which this JavaScript engine does not have. Node 20, Chrome 91, ' +
        'Firefox 89, Safari 16.4 and later have it. Without it, train on the cpu backend.',
    );
  }
  return { compiledFor: await compile(bytes, memory), fma: false };
}

/** Compiled at once for this memory, and later for the other kind: a restarted backend may have another kind. */
async function compile(bytes: Uint8Array, memory: Memory): Promise<LoadedModule['compiledFor']> {
  const declared = (shared: boolean) => (shared ? withSharedMemory(bytes) : bytes);
  const first = isShared(memory);
  const compiled = new Map([[first, await WebAssembly.compile(declared(first))]]);
  return (other) => {
    const shared = isShared(other);
    const module = compiled.get(shared) ?? new WebAssembly.Module(declared(shared));
    compiled.set(shared, module);
    return module;
  };
}

function decoded(bytes: Uint8Array | string): Uint8Array {
  return typeof bytes === 'string' ? fromBase64(bytes) : bytes;
}

function isValid(bytes: Uint8Array): boolean {
  if (WebAssembly.validate(bytes)) return true;
  allowRelaxedSimd();
  return WebAssembly.validate(bytes);
}

/** In Node 20 the instructions need a flag of V8, which can be set at run time; later versions always have them. */
function allowRelaxedSimd(): void {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: 'v8'): { setFlagsFromString(flags: string): void } | undefined };
  };
  process?.getBuiltinModule?.('v8')?.setFlagsFromString('--experimental-wasm-relaxed-simd');
}

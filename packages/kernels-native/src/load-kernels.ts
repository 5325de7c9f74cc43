import { createRequire } from 'node:module';
import { badArgument, badBinary, unknownKernel, wrongCount } from './errors.js';
import { findBinaries } from './find-binaries.js';

/** What the processor has, best last. */
export type Instructions = 'avx2' | 'avx512';

export interface NativeKernels {
  /** The addon, for other threads of this process to load. */
  readonly file: string;
  readonly instructions: Instructions;
  /** The kernels, by the names of the functions of the module of @hookline/backend-wasm. */
  readonly names: readonly string[];
  /**
   * A kernel on a memory, which is asked for at every call, because it is another array after it has grown. Gives true
   * when the result has been computed, and false when the caller has to compute it; nothing has been written then.
   */
  bind(name: string, memory: () => Uint8Array): (...args: (number | boolean)[]) => boolean;
  /** Lets go of the memory of the last call, which is held until the next one. */
  release(): void;
  /** Uses no better instructions than these; for tests. */
  limitTo(instructions: Instructions): Instructions;
}

/** What native/addon.c exports. */
interface Addon {
  /** Arguments of the next call, and in the last place its outcome. */
  readonly arguments: Float64Array;
  readonly functions: Readonly<Record<string, () => void>>;
  /** The names of the arguments, separated by spaces. */
  readonly names: Readonly<Record<string, string>>;
  readonly instructions: Instructions;
  attach(memory: Uint8Array): void;
  use(instructions: Instructions): Instructions;
  /**
   * The memory that it works on, whoever calls it in this thread, and how long it was. They are here because two copies
   * of this package share the addon: what one of them remembers does not hold after a call of the other.
   */
  memory?: Uint8Array;
  bytes?: number;
}

/**
 * The kernels for this machine, or undefined where there is no binary for the platform or the processor lacks AVX2.
 * Throws BAD_BINARY for a binary that is damaged.
 */
export function loadKernels(): NativeKernels | undefined {
  let failure: unknown;
  for (const file of findBinaries()) {
    try {
      return kernelsOf(file, createRequire(import.meta.url)(file) as Partial<Addon>);
    } catch (cause) {
      // Of two for this platform one is for another C library.
      failure ??= badBinary(file, cause);
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

function kernelsOf(file: string, addon: Partial<Addon>): NativeKernels | undefined {
  // It exports nothing where the processor has none of the instructions.
  if (!isComplete(addon)) return undefined;
  return {
    file,
    instructions: addon.instructions,
    names: Object.keys(addon.functions),
    bind: (name, memory) => bind(addon, name, memory),
    release: () => attach(addon, new Uint8Array()),
    limitTo: (instructions) => addon.use(instructions),
  };
}

function isComplete(addon: Partial<Addon>): addon is Addon {
  return addon.functions !== undefined;
}

function bind(
  addon: Addon,
  name: string,
  memory: () => Uint8Array,
): (...args: (number | boolean)[]) => boolean {
  if (!Object.hasOwn(addon.functions, name)) throw unknownKernel(name, Object.keys(addon.functions));
  const run = addon.functions[name]!;
  const numbers = addon.arguments;
  const outcome = numbers.length - 1;
  const names = addon.names[name]!.split(' ');
  return (...args) => {
    // What is missing would be what the call before this one has left.
    if (args.length !== names.length) throw wrongCount(name, names, args.length);
    const bytes = memory();
    // An array that was detached or has shrunk is the same one with another length.
    if (bytes !== addon.memory || bytes.length !== addon.bytes) attach(addon, bytes);
    for (let i = 0; i < args.length; i++) numbers[i] = args[i] as number;
    run();
    const result = numbers[outcome]!;
    if (result === 0) return true;
    if (result < 0) return false;
    throw badArgument(name, names[result - 1]!, numbers[result - 1]!, bytes.length);
  };
}

function attach(addon: Addon, bytes: Uint8Array): void {
  addon.attach(bytes);
  addon.memory = bytes;
  addon.bytes = bytes.length;
}

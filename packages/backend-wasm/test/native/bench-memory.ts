import type { ModuleExports } from '../../src/module/exports.js';
import { loadModule } from '../../src/module/load-module.js';
import { type CompiledModule, type Memory, WebAssembly } from '../../src/module/web-assembly.js';

const { WebAssembly: Api } = globalThis as unknown as {
  WebAssembly: { Memory: new (size: { initial: number; maximum: number }) => Memory };
};

const PAGES = 160;

/** A memory with the module in it, without tfjs: kernels are called with addresses. */
export class BenchMemory {
  readonly module: ModuleExports;
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  readonly #first: number;
  #next: number;

  constructor(compiled: CompiledModule, memory: Memory) {
    this.module = new WebAssembly.Instance(compiled, { env: { memory } }).exports as ModuleExports;
    this.bytes = new Uint8Array(memory.buffer as ArrayBuffer);
    this.words = new Int32Array(memory.buffer as ArrayBuffer);
    this.module.useWorkspace(64);
    this.#first = Math.ceil((64 + this.module.workspaceBytes()) / 64) * 64;
    this.#next = this.#first;
  }

  static async create(wantFma = true): Promise<BenchMemory> {
    const memory = new Api.Memory({ initial: PAGES, maximum: 65_536 });
    const { compiledFor, fma } = await loadModule(wantFma, memory);
    if (wantFma && !fma) throw new Error('This machine has no FMA.');
    return new BenchMemory(compiledFor(memory), memory);
  }

  /** Forgets everything that was allocated. */
  clear(): void {
    this.#next = this.#first;
  }

  /** The address of so many floats; not aligned to more than a float, as parts of tensors are. */
  floats(count: number, value: () => number): number {
    const at = this.#next;
    this.#next += (count + 33) * 4;
    if (this.#next > this.bytes.length) throw new Error(`${count} floats do not fit.`);
    const numbers = new Float32Array(this.bytes.buffer, at, count);
    for (let i = 0; i < count; i++) numbers[i] = value();
    return at;
  }

  /** A copy of everything that was allocated, as bits. */
  snapshot(): Int32Array {
    return this.words.slice(this.#first / 4, this.#next / 4);
  }

  restore(snapshot: Int32Array): void {
    this.words.set(snapshot, this.#first / 4);
  }

  /** Where an address is in a snapshot. */
  place(address: number): number {
    return (address - this.#first) / 4;
  }
}

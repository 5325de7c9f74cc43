import * as tf from '@tensorflow/tfjs-core';
import type { Address, ModuleExports } from '../module/exports.js';
import { type CompiledModule, WebAssembly } from '../module/web-assembly.js';
import type { NativeKernels } from '../native/find-kernels.js';
import { nativeModule } from '../native/native-module.js';
import { guardAllocation, Scratch } from './memory.js';
import type { Tensor, WasmBackend } from './wasm-backend.js';

/**
 * What kernels work with: the module, linked to the memory of one backend. Tensors are passed as addresses, which stay
 * valid when the memory grows; views of it in JavaScript do not.
 */
export class KernelContext {
  readonly #scratch: Scratch;
  readonly #workspace: Address;
  #module: ModuleExports;
  #threads = 1;

  constructor(
    readonly backend: WasmBackend,
    compiled: CompiledModule,
    private readonly native?: NativeKernels,
  ) {
    guardAllocation(backend);
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory: backend.wasm.asm.memory } });
    this.#module = exports as ModuleExports;
    this.#scratch = new Scratch(backend);
    this.#workspace = backend.wasm._malloc(this.module.workspaceBytes()) >>> 0;
    this.module.useWorkspace(this.#workspace);
    // tfjs makes another array when the memory has grown.
    if (native) this.#module = nativeModule(this.#module, native, () => backend.wasm.HEAPU8);
  }

  /** Frees its memory; no kernel may run with it afterwards. */
  free(): void {
    this.native?.release();
    // With the backend removed, its memory is gone too.
    if (!this.backend.wasm) return;
    this.backend.wasm._free(this.#workspace);
    this.#scratch.free();
  }

  get module(): ModuleExports {
    return this.#module;
  }

  /** How many threads may compute parts of one operation: what each needs room for is there so many times. */
  get threads(): number {
    return this.#threads;
  }

  /** From now on kernels run with this module, which computes the same, with so many threads. */
  useModule(module: ModuleExports, threads: number): void {
    this.#module = module;
    this.#threads = threads;
  }

  address(tensor: Tensor): Address {
    return this.backend.dataIdMap.get(tensor.dataId).memoryOffset;
  }

  addresses<Tensors extends readonly Tensor[]>(...tensors: Tensors): { [Index in keyof Tensors]: Address } {
    return tensors.map((tensor) => this.address(tensor)) as { [Index in keyof Tensors]: Address };
  }

  /** A new tensor with undefined contents. */
  output(shape: number[], dtype: tf.DataType = 'float32'): Tensor {
    return this.backend.makeOutput(shape, dtype);
  }

  zeros(shape: number[]): Tensor {
    return this.filled(shape, 0);
  }

  filled(shape: number[], value: number): Tensor {
    const out = this.output(shape);
    this.module.fill(this.address(out), sizeOf(out), bitsOf(value));
    return out;
  }

  /** The same data under another shape, without a copy. */
  alias(tensor: Tensor, shape: number[]): Tensor {
    this.backend.incRef(tensor.dataId);
    return { dataId: tensor.dataId, shape, dtype: tensor.dtype };
  }

  dispose(tensor: Tensor): void {
    this.backend.disposeData(tensor.dataId);
  }

  /** Scratch memory for this many floats, valid until the same name is asked for again. */
  scratch(name: string, floats: number): Address {
    return this.#scratch.take(name, floats * 4);
  }

  /** Runs another kernel, whosever it is. */
  run(name: string, inputs: Record<string, Tensor>, attrs: Record<string, unknown> = {}): Tensor {
    const { kernelFunc } = tf.getKernel(name, 'wasm');
    return kernelFunc({
      inputs: inputs as unknown as tf.NamedTensorInfoMap,
      attrs: attrs as tf.NamedAttrMap,
      backend: this.backend,
    }) as Tensor;
  }
}

export function sizeOf({ shape }: Tensor): number {
  let size = 1;
  for (let i = 0; i < shape.length; i++) size *= shape[i]!;
  return size;
}

/** The bits of a float: the module fills with any 4 bytes. */
export function bitsOf(value: number): number {
  FLOAT[0] = value;
  return BITS[0]!;
}

// Made once: making an array takes longer than many kernels.
const FLOAT: Float32Array = new Float32Array(1);
const BITS: Int32Array = new Int32Array(FLOAT.buffer);

/** The module reads floats: it would misread any other dtype without an error. */
export function areFloats(...tensors: (Tensor | undefined)[]): boolean {
  return tensors.every((tensor) => tensor === undefined || tensor.dtype === 'float32');
}

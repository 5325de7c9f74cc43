import * as tf from '@tensorflow/tfjs-core';
import { BackendWasmError } from '../errors.js';
import { isShared, type Memory } from '../module/web-assembly.js';
import { startShared } from '../threads/shared-backend.js';
import { withoutEmscriptenListeners } from './emscripten-listeners.js';

export type Tensor = tf.TensorInfo;

/** What the wasm backend keeps about a tensor. */
export interface TensorData {
  id: number;
  memoryOffset: number;
  refCount: number;
}

/** The parts of the tfjs 4.22 wasm backend that are used here; most of them are not public. */
export interface WasmBackend {
  readonly wasm: {
    readonly asm: { readonly memory: Memory };
    readonly HEAPU8: Uint8Array;
    _malloc(bytes: number): number;
    _free(address: number): void;
    readonly tfjs: {
      registerTensor(id: number, size: number, offset: number): void;
      disposeData(id: number): void;
    };
  };
  readonly dataIdMap: { get(dataId: object): TensorData };
  dataIdNextNumber: number;
  makeOutput(shape: number[], dtype: tf.DataType): Tensor;
  typedArrayFromHeap(tensor: Tensor): Float32Array | Int32Array | Uint8Array;
  disposeData(dataId: object, force?: boolean): boolean;
  incRef(dataId: object): void;
  refCount(dataId: object): number;
}

/**
 * The running wasm backend; starts it where it is registered and not running yet, with memory that threads can share if
 * `shared`. Does not change which backend is active.
 */
export async function startedBackend(shared = false): Promise<WasmBackend> {
  const { registry } = tf.engine();
  if (!registry.wasm) {
    const factory = tf.findBackendFactory('wasm');
    if (!factory) {
      throw new BackendWasmError(
        'BACKEND_NOT_REGISTERED',
        "No wasm backend is registered with tfjs. Write `import '@tensorflow/tfjs-backend-wasm'` first. If you do, look " +
          'for two copies of @tensorflow/tfjs-core in node_modules: each has its own registry.',
      );
    }
    // The kernels here cannot share the memory of the build with threads.
    tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
    const instance = await withoutEmscriptenListeners(() =>
      shared ? startShared(async () => factory()) : factory(),
    );
    registry.wasm ??= instance;
  }
  const backend = registry.wasm as unknown as WasmBackend;
  assertShape(backend);
  const why = shared ? whyNotShared() : undefined;
  if (why !== undefined) throw new BackendWasmError('NO_THREADS', why);
  return backend;
}

/** Why threads cannot share the memory of the backend, where it is running already. */
export function whyNotShared(): string | undefined {
  const running = tf.engine().registry.wasm as unknown as Partial<WasmBackend> | undefined;
  const memory = running?.wasm?.asm?.memory;
  if (!memory || isShared(memory)) return undefined;
  return (
    'The wasm backend was started before threads were asked for, with memory that threads cannot share. Call ' +
    "enableTraining({ threads }) before tf.setBackend('wasm') and before anything else that starts the backend."
  );
}

function assertShape(backend: WasmBackend): void {
  const { wasm, dataIdMap } = backend as Partial<WasmBackend>;
  const functions: unknown[] = [wasm?._malloc, wasm?._free, wasm?.tfjs?.registerTensor, dataIdMap?.get];
  if (wasm?.asm?.memory?.buffer && functions.every((each) => typeof each === 'function')) return;
  throw new BackendWasmError(
    'UNKNOWN_BACKEND_SHAPE',
    'The wasm backend of this process differs from that of tfjs 4.22 without threads, the one that ' +
      '@hookline/backend-wasm works with. Install @tensorflow/tfjs-backend-wasm 4.22.0. In a browser that gives it ' +
      "threads, call enableTraining() before tf.setBackend('wasm').",
  );
}

import * as tf from '@tensorflow/tfjs-core';

/** The part of the wasm backend that knows where a tensor lies in its memory. */
interface WasmMemory {
  wasm?: { HEAPU8?: Uint8Array };
  dataIdMap?: { get(id: object): { memoryOffset?: number } | undefined };
}

/** Whether this backend keeps tensors in our own memory, where reading one by one costs no transfer. */
export function isHostBackend(backend: string): boolean {
  return backend === 'wasm' || backend === 'cpu';
}

/**
 * The values of a float tensor, to be looked at before any other operation: on wasm this is its memory itself, which
 * the next allocation may move. `dataSync` would copy it, and the copy takes longer than the look.
 */
export function hostValues(tensor: tf.Tensor): Float32Array {
  const { wasm, dataIdMap } = tf.backend() as unknown as WasmMemory;
  const offset = wasm?.HEAPU8 && dataIdMap?.get(tensor.dataId)?.memoryOffset;
  if (tensor.dtype !== 'float32' || offset === undefined) return tensor.dataSync<'float32'>();
  return new Float32Array(wasm!.HEAPU8!.buffer, offset, tensor.size);
}

import * as tf from '@tensorflow/tfjs-core';
import type { KernelContext } from '../backend/kernel-context.js';
import type { TensorData } from '../backend/wasm-backend.js';

interface TensorPlaces {
  readonly state: { readonly tensorInfo: { get(dataId: object): { backend: unknown } | undefined } };
}

/** Whether it is a float tensor in the memory of this backend; it may still be on the backend that was active before. */
export function isOnWasm({ backend }: KernelContext, tensor: tf.Tensor): boolean {
  if (tensor.dtype !== 'float32') return false;
  const { state } = tf.engine() as unknown as TensorPlaces;
  return state.tensorInfo.get(tensor.dataId)?.backend === backend;
}

/**
 * The data of a variable, for writing. A clone shares its data with the original: where somebody has a clone, the
 * variable gets a copy first, so that the clone keeps its values.
 */
export function ownData(context: KernelContext, variable: tf.Variable): TensorData {
  const { backend } = context;
  if (backend.refCount(variable.dataId) > 1) {
    const copy = backend.makeOutput(variable.shape, variable.dtype);
    const from = context.address(variable);
    backend.wasm.HEAPU8.copyWithin(context.address(copy), from, from + variable.size * 4);
    const made = tf.engine().makeTensorFromTensorInfo(copy);
    variable.assign(made);
    made.dispose();
  }
  return backend.dataIdMap.get(variable.dataId);
}

/**
 * XNNPACK, which some stock kernels use, caches packed weights by the id of their data. Data that was written to gets a
 * new id, so that nothing is computed with the old weights.
 */
export function renumber({ backend }: KernelContext, data: TensorData, size: number): void {
  backend.wasm.tfjs.disposeData(data.id);
  data.id = backend.dataIdNextNumber++;
  backend.wasm.tfjs.registerTensor(data.id, size, data.memoryOffset);
}

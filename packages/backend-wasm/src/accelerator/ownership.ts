import * as tf from '@tensorflow/tfjs-core';
import type { KernelContext } from '../backend/kernel-context.js';
import type { TensorData } from '../backend/wasm-backend.js';

interface TensorPlaces {
  readonly state: { readonly tensorInfo: { get(dataId: object): { backend: unknown } | undefined } };
}

/** Whether a tensor of floats lies in the memory of this backend: it may still be on the one that was active before. */
export function isOnWasm({ backend }: KernelContext, tensor: tf.Tensor): boolean {
  if (tensor.dtype !== 'float32') return false;
  const { state } = tf.engine() as unknown as TensorPlaces;
  return state.tensorInfo.get(tensor.dataId)?.backend === backend;
}

/**
 * The data of a variable, to be written to. A clone shares its data with the original: where others have a share in
 * it, the variable gets a copy, and they keep what they have.
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
 * XNNPACK, which some stock kernels use, keeps weights packed by the number of their data. What was written to gets a
 * new number, so that nothing is computed with the old weights.
 */
export function renumber({ backend }: KernelContext, data: TensorData, size: number): void {
  backend.wasm.tfjs.disposeData(data.id);
  data.id = backend.dataIdNextNumber++;
  backend.wasm.tfjs.registerTensor(data.id, size, data.memoryOffset);
}

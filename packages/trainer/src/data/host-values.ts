import * as tf from '@tensorflow/tfjs-core';

/**
 * The values of a tensor where they are in this process's memory, without a copy; undefined where they are not. They
 * hold until the next tensor is made, which may move them. Why not `tf.slice` and `tf.gather`: on wasm the one copies
 * the whole tensor for each slice, and the other takes ten times as long as copying the rows.
 */
export function hostValues(tensor: tf.Tensor): Float32Array | Int32Array | undefined {
  if (tensor.dtype !== 'float32' && tensor.dtype !== 'int32') return undefined;
  const backend = tf.backend() as tf.KernelBackend & Partial<HeapBackend>;
  if (tf.getBackend() === 'cpu') return backend.readSync(tensor.dataId) as Float32Array;
  if (!backend.typedArrayFromHeap || !backend.dataIdMap) return undefined;
  // Brings them here from another backend, before the view is made: that may move the heap.
  backend.dataIdMap.get(tensor.dataId);
  return backend.typedArrayFromHeap(tensor);
}

/** What the wasm backend of tfjs has. */
interface HeapBackend {
  dataIdMap: { get(dataId: object): unknown };
  typedArrayFromHeap(tensor: tf.TensorInfo): Float32Array | Int32Array;
}

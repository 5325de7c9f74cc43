import * as tf from '@tensorflow/tfjs-core';

/** Whether a backend, the active one when absent, keeps tensors in our own memory: reading one is no transfer. */
export function isHostBackend(backend: string = tf.getBackend()): boolean {
  return backend === 'wasm' || backend === 'cpu';
}

/**
 * The values of a tensor where they are in this process's memory, without a copy; undefined where they are not. They
 * hold until the next tensor is made, which may move them: on wasm this is the memory itself. Why not `dataSync`,
 * `tf.slice` and `tf.gather`: the first copies, the second copies the whole tensor for each slice, and the third takes
 * ten times as long as copying the rows.
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

/** The same as floats, read from the device and converted where that is needed. */
export function floatValues(tensor: tf.Tensor): Float32Array {
  const values = hostValues(tensor) ?? tensor.dataSync();
  return values instanceof Float32Array ? values : Float32Array.from(values as ArrayLike<number>);
}

/** What the wasm backend of tfjs has. */
interface HeapBackend {
  dataIdMap: { get(dataId: object): unknown };
  typedArrayFromHeap(tensor: tf.TensorInfo): Float32Array | Int32Array;
}

import * as tf from '@tensorflow/tfjs-core';

/** Whether a backend (by default the active one) keeps tensors in our own memory, so that reading one needs no transfer. */
export function isHostBackend(backend: string = tf.getBackend()): boolean {
  return backend === 'wasm' || backend === 'cpu';
}

/**
 * The values of a tensor where they are in this process's memory, without a copy; undefined where they are not. They are
 * valid until the next tensor is made, which may move them: on wasm this is a view of the heap. Why not `dataSync`,
 * `tf.slice` and `tf.gather`: the first copies, the second copies the whole tensor for each slice, and the third takes
 * ten times as long as copying the rows.
 */
export function hostValues(tensor: tf.Tensor): Float32Array | Int32Array | undefined {
  if (tensor.dtype !== 'float32' && tensor.dtype !== 'int32') return undefined;
  const backend = tf.backend() as tf.KernelBackend & Partial<HeapBackend>;
  if (tf.getBackend() === 'cpu') return backend.readSync(tensor.dataId) as Float32Array;
  if (!backend.typedArrayFromHeap || !backend.dataIdMap) return undefined;
  // Moves the data here from another backend. This comes before the view is made, because it may move the heap.
  backend.dataIdMap.get(tensor.dataId);
  return backend.typedArrayFromHeap(tensor);
}

/** The same as floats, read from the device and converted where that is needed. */
export function floatValues(tensor: tf.Tensor): Float32Array {
  const values = hostValues(tensor) ?? tensor.dataSync();
  return values instanceof Float32Array ? values : Float32Array.from(values as ArrayLike<number>);
}

/** A tensor whose values `fill` writes: on wasm directly into the heap, without an array in between. */
export function filledTensor(
  shape: number[],
  dtype: 'float32' | 'int32',
  fill: (into: Float32Array | Int32Array) => void,
): tf.Tensor {
  const backend = tf.backend() as tf.KernelBackend & Partial<HeapBackend>;
  if (!backend.typedArrayFromHeap || !backend.makeOutput) {
    const Values = dtype === 'int32' ? Int32Array : Float32Array;
    const values = new Values(tf.util.sizeFromShape(shape));
    fill(values);
    return tf.tensor(values, shape, dtype);
  }
  const made = backend.makeOutput(shape, dtype);
  fill(backend.typedArrayFromHeap(made));
  return tf.engine().makeTensorFromTensorInfo(made);
}

/** What the wasm backend of tfjs has. */
interface HeapBackend {
  dataIdMap: { get(dataId: object): unknown };
  typedArrayFromHeap(tensor: tf.TensorInfo): Float32Array | Int32Array;
  makeOutput(shape: number[], dtype: tf.DataType): tf.TensorInfo;
}

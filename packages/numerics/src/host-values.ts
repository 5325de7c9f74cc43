import * as tf from '@tensorflow/tfjs-core';

/**
 * Whether a backend (by default the active one) keeps tensors in our own memory, so that reading one needs no transfer. The
 * backend of tfjs-node does where TensorFlow found no GPU.
 */
export function isHostBackend(backend: string = tf.getBackend()): boolean {
  if (backend === 'wasm' || backend === 'cpu') return true;
  const native = tf.engine().registry[backend] as Partial<NativeBackend> | undefined;
  return native?.isUsingGpuDevice === false;
}

/**
 * Whether what the active backend computes can be read without waiting. WebGPU outside of a page cannot: it reads through a
 * canvas. It is tried, once for each backend.
 */
export function canReadNow(): boolean {
  if (isHostBackend()) return true;
  const backend = tf.backend() as tf.KernelBackend & { hasReadSyncWarned?: boolean };
  const known = readsNow.get(backend);
  if (known !== undefined) return known;
  const warned = backend.hasReadSyncWarned;
  if (warned === false) backend.hasReadSyncWarned = true; // this read is not one that the user can avoid
  let can = false;
  try {
    can = tf.tidy(() => tf.add(tf.scalar(1), 1).dataSync()[0] === 2);
  } catch {
    // It cannot.
  }
  if (warned === false) backend.hasReadSyncWarned = false;
  readsNow.set(backend, can);
  return can;
}

const readsNow = new WeakMap<tf.KernelBackend, boolean>();

/**
 * The values of a tensor where they are in this process's memory, without a copy; undefined where they are not. They are
 * valid until the next tensor is made, which may move them: on wasm this is a view of the heap. Why not `dataSync`,
 * `tf.slice` and `tf.gather`: the first copies, the second copies the whole tensor for each slice, and the third takes
 * ten times as long as copying the rows.
 */
export function hostValues(tensor: tf.Tensor): Float32Array | Int32Array | undefined {
  if (tensor.dtype !== 'float32' && tensor.dtype !== 'int32') return undefined;
  const backend = tf.backend() as tf.KernelBackend & Partial<HeapBackend & DeviceBackend>;
  if (tf.getBackend() === 'cpu') return backend.readSync(tensor.dataId) as Float32Array;
  // Device backends keep what they were given until an operation needs it.
  if (backend.tensorMap) return notUploaded(backend.tensorMap.get(tensor.dataId));
  if (!backend.typedArrayFromHeap || !backend.dataIdMap) return undefined;
  // Moves the data here from another backend. This comes before the view is made, because it may move the heap.
  backend.dataIdMap.get(tensor.dataId);
  return backend.typedArrayFromHeap(tensor);
}

/** The same, and with a copy where that needs no transfer from a device: to look at all of them once. */
export function nearValues(tensor: tf.Tensor): Float32Array | Int32Array | undefined {
  const values = hostValues(tensor);
  if (values || !isHostBackend()) return values;
  if (tensor.dtype !== 'float32' && tensor.dtype !== 'int32') return undefined;
  return tensor.dataSync() as Float32Array | Int32Array;
}

/** The same as floats, read from the device and converted where that is needed. */
export function floatValues(tensor: tf.Tensor): Float32Array {
  const values = hostValues(tensor) ?? tensor.dataSync();
  return values instanceof Float32Array ? values : Float32Array.from(values as ArrayLike<number>);
}

function notUploaded(held: { values?: unknown } | undefined): Float32Array | Int32Array | undefined {
  const values = held?.values;
  return values instanceof Float32Array || values instanceof Int32Array ? values : undefined;
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

/** What the backends of tfjs-node, webgpu and webgl have for each tensor: its values are null once they are on the device. */
interface DeviceBackend {
  tensorMap: { get(dataId: object): { values?: unknown } | undefined };
}

/** What the backend of tfjs-node has. */
interface NativeBackend {
  isUsingGpuDevice: boolean;
}

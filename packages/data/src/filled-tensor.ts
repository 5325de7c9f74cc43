import * as tf from '@tensorflow/tfjs-core';

/** A tensor whose values `fill` writes: where the backend has its memory here, to their place in it. */
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
  makeOutput(shape: number[], dtype: tf.DataType): tf.TensorInfo;
  typedArrayFromHeap(tensor: tf.TensorInfo): Float32Array | Int32Array;
}

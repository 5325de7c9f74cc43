import * as tf from '@tensorflow/tfjs-core';

/** Runs a kernel of the active backend by its name; on the tape, where one is recorded. */
export function runKernel(name: string, inputs: tf.NamedTensorMap, attrs: tf.NamedAttrMap = {}): tf.Tensor {
  return tf.engine().runKernel(name, inputs, attrs);
}

import * as tf from '@tensorflow/tfjs-core';

/** Adds up what an operand that was broadcast has received, so that its gradient has its shape. */
export function sumToShape(gradient: tf.Tensor, shape: number[]): tf.Tensor {
  if (tf.util.arraysEqual(gradient.shape, shape)) return gradient;
  return tf.reshape(tf.sum(gradient, tf.broadcast_util.getReductionAxes(shape, gradient.shape)), shape);
}

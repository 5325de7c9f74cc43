import * as tf from '@tensorflow/tfjs-core';

/**
 * tfjs-layers calls some operations as methods of tensors, which only the package `@tensorflow/tfjs` adds: in the
 * orthogonal initializer, which is the default of every RNN, and in the metric r2Score. Without that package
 * `tf.layers.lstm({ units: 8 })` fails with "rMat.flatten is not a function".
 *
 * These are the methods that tfjs-layers 4.22 calls, and no more. Each is added only where it is missing, does what the
 * method of `@tensorflow/tfjs` does, and may be replaced by it later.
 */
const USED_BY_LAYERS: Readonly<Record<string, (x: tf.Tensor, ...args: never[]) => tf.Tensor>> = {
  div: tf.div,
  flatten: (x) => tf.reshape(x, [x.size]),
  mean: tf.mean,
  reshape: tf.reshape,
  sign: tf.sign,
  square: tf.square,
  stridedSlice: tf.stridedSlice,
  sub: tf.sub,
  sum: tf.sum,
  transpose: tf.transpose,
};

/** Adds the methods to tensors that tfjs-layers needs. A second call changes nothing. */
export function completeChainedOps(): void {
  for (const [name, operation] of Object.entries(USED_BY_LAYERS)) {
    if (name in tf.Tensor.prototype) continue;
    Object.defineProperty(tf.Tensor.prototype, name, {
      value(this: tf.Tensor, ...args: never[]) {
        return operation(this, ...args);
      },
      configurable: true,
      writable: true,
    });
  }
}

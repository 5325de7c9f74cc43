import * as tf from '@tensorflow/tfjs-core';

/**
 * Weights of samples [batch], or of steps [batch, time], shaped so that they can be multiplied with these values.
 * Undefined where they do not fit.
 */
export function alignWeights(weights: tf.Tensor, values: tf.Tensor): tf.Tensor | undefined {
  const shape = withoutLastOnes(weights.shape);
  const fits = shape.length <= values.rank && shape.every((size, axis) => size === values.shape[axis]);
  if (!fits) return undefined;
  const missing = values.rank - shape.length;
  return reshaped(weights, [...shape, ...new Array<number>(missing).fill(1)]);
}

/** The product of weights of samples, of steps, or of both. */
export function timesWeights(a: tf.Tensor, b: tf.Tensor): tf.Tensor {
  const [wide, narrow] = a.rank < b.rank ? [b, a] : [a, b];
  return tf.mul(wide, alignWeights(narrow, wide) ?? narrow);
}

function withoutLastOnes(shape: readonly number[]): readonly number[] {
  let rank = shape.length;
  while (rank > 1 && shape[rank - 1] === 1) rank--;
  return shape.slice(0, rank);
}

function reshaped(weights: tf.Tensor, shape: number[]): tf.Tensor {
  return weights.rank === shape.length ? weights : tf.reshape(weights, shape);
}

import type { ForwardOptions } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';

/** A part of the model: [sequences, positions, width] in, the same shape out. */
export type Part = (x: tf.Tensor3D, forward: ForwardOptions) => tf.Tensor3D;

/** Multiplies the vector at each position with a matrix. */
export function project(x: tf.Tensor3D, matrix: tf.Tensor2D): tf.Tensor3D {
  const [sequences, positions, width] = x.shape;
  const rows = tf.reshape<tf.Rank.R2>(x, [sequences * positions, width]);
  return tf.reshape(tf.matMul(rows, matrix), [sequences, positions, matrix.shape[1]]);
}

import * as tf from '@tensorflow/tfjs-core';
import type { Parameters } from './parameters.js';

/** Keeps the root away from 0. */
const EPSILON = 1e-5;

/** Brings the vector at each position to mean 0 and variance 1, then scales and shifts it by learned vectors. */
export function layerNorm(
  parameters: Parameters,
  path: string,
  width: number,
): (x: tf.Tensor3D) => tf.Tensor3D {
  const scale = parameters.values<tf.Rank.R1>(`${path}/scale`, [width], () => 1);
  const shift = parameters.values<tf.Rank.R1>(`${path}/shift`, [width], () => 0);
  return (x) => {
    const centred = tf.sub(x, tf.mean(x, -1, true));
    const variance = tf.mean(tf.square(centred), -1, true);
    const normal = tf.mul(centred, tf.rsqrt(tf.add(variance, EPSILON)));
    return tf.add(tf.mul(normal, scale), shift);
  };
}

import * as tf from '@tensorflow/tfjs-core';
import type { Statistics, Wanted } from './statistics.js';

/** The same as `hostStatistics`, computed where the tensor is: numbers that wait to be read, and what they mean. */
export interface DeviceStatistics {
  /** Kept, and the caller's to dispose. */
  readonly numbers: tf.Tensor1D;
  interpret(numbers: Float32Array): Statistics;
}

export function deviceStatistics(
  tensor: tf.Tensor,
  wanted: Wanted,
  positions: Int32Array | undefined,
): DeviceStatistics {
  const units = wanted.alive ? (tensor.shape.at(-1) ?? 1) : 0;
  const { size: count } = tensor;
  const numbers = tf.tidy(() => {
    const values = tf.reshape(tf.cast(tensor, 'float32'), [-1]) as tf.Tensor1D;
    const isNonZero = tf.notEqual(values, 0);
    const mean = tf.mean(values);
    const parts = [
      mean,
      tf.sum(tf.square(tf.sub(values, mean))),
      tf.min(values),
      tf.max(values),
      tf.sum(tf.cast(isNonZero, 'float32')),
      tf.sum(tf.cast(tf.isFinite(values), 'float32')),
      ...(wanted.alive ? [tf.cast(tf.any(tf.reshape(isNonZero, [-1, units]), 0), 'float32')] : []),
      ...(wanted.sample ? [positions ? tf.gather(values, tf.tensor1d(positions, 'int32')) : values] : []),
    ];
    return tf.concat(parts.map((part) => tf.reshape(part, [-1]) as tf.Tensor1D));
  });
  const interpret = (read: Float32Array): Statistics => {
    const [average, squares, min, max, nonZeros, finite] = read as unknown as number[];
    return {
      count,
      mean: average!,
      squares: squares!,
      min: min!,
      max: max!,
      zeros: count - nonZeros!,
      nonFinite: count - finite!,
      alive: wanted.alive ? Uint8Array.from(read.subarray(6, 6 + units)) : undefined,
      sample: wanted.sample ? read.slice(6 + units) : undefined,
    };
  };
  return { numbers: tf.keep(numbers), interpret };
}

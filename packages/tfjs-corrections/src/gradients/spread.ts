import * as tf from '@tensorflow/tfjs-core';

/**
 * Places the slices of a tensor along an axis at `begin`, `begin + stride` and so on, in an axis of `size` that is zero
 * elsewhere: the opposite of taking every stride-th slice. The stride is positive.
 */
export function spread(x: tf.Tensor, axis: number, begin: number, stride: number, size: number): tf.Tensor {
  const count = x.shape[axis]!;
  if (begin === 0 && stride === 1 && size === count) return x;
  const outer = product(x.shape.slice(0, axis));
  const inner = product(x.shape.slice(axis + 1));
  const length = (count - 1) * stride + 1;
  const gaps = tf.pad(tf.reshape(x, [outer, count, 1, inner]), [
    [0, 0],
    [0, 0],
    [0, stride - 1],
    [0, 0],
  ]);
  const spaced = tf.slice(
    tf.reshape(gaps, [outer, count * stride, inner]),
    [0, 0, 0],
    [outer, length, inner],
  );
  const placed = tf.pad(spaced, [
    [0, 0],
    [begin, size - begin - length],
    [0, 0],
  ]);
  return tf.reshape(placed, [...x.shape.slice(0, axis), size, ...x.shape.slice(axis + 1)]);
}

/** The filter with zeros between its elements: its plain convolution is the dilated one of the filter. */
export function dilateFilter(filter: tf.Tensor, dilations: readonly number[]): tf.Tensor {
  return dilations.reduce(
    (dilated, dilation, axis) => spread(dilated, axis, 0, dilation, (filter.shape[axis]! - 1) * dilation + 1),
    filter,
  );
}

export function product(sizes: readonly number[]): number {
  return sizes.reduce((size, other) => size * other, 1);
}

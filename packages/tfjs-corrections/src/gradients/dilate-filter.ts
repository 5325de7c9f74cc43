import type * as tf from '@tensorflow/tfjs-core';
import { spread } from './spread.js';

/** The filter with zeros between its elements, whose plain convolution is the dilated one of the filter. */
export function dilateFilter(filter: tf.Tensor, dilations: readonly number[]): tf.Tensor {
  return dilations.reduce(
    (dilated, dilation, axis) => spread(dilated, axis, 0, dilation, (filter.shape[axis]! - 1) * dilation + 1),
    filter,
  );
}

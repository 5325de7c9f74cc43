import * as tf from '@tensorflow/tfjs-core';
import { spread } from './spread.js';

/** Stock has none. Elements that were taken get their gradient, all others zero: the slices are put back. */
export const STRIDED_SLICE_GRADIENT: tf.GradConfig = {
  kernelName: tf.StridedSlice,
  inputsToSave: ['x'],
  gradFunc: (dy, [x], attrs) => ({
    x: () => putBack(dy as tf.Tensor, x!.shape, attrs as unknown as tf.StridedSliceAttrs),
  }),
};

function putBack(dy: tf.Tensor, shape: number[], attrs: tf.StridedSliceAttrs): tf.Tensor {
  if (dy.size === 0) return tf.zeros(shape);
  const { begin, end, strides } = tf.slice_util.sliceInfo(
    shape,
    attrs.begin,
    attrs.end,
    attrs.strides,
    attrs.beginMask,
    attrs.endMask,
    attrs.ellipsisMask,
    attrs.newAxisMask,
    attrs.shrinkAxisMask,
  );
  const counts = shape.map((_, axis) => Math.ceil((end[axis]! - begin[axis]!) / strides[axis]!));
  // Axes that were added or dropped have the size 1, so they change only the shape.
  let gradient = tf.reshape(dy, counts);
  for (const [axis, size] of shape.entries()) {
    const [first, stride, count] = [begin[axis]!, strides[axis]!, counts[axis]!];
    gradient =
      stride > 0
        ? spread(gradient, axis, first, stride, size)
        : spread(tf.reverse(gradient, axis), axis, first + stride * (count - 1), -stride, size);
  }
  return gradient;
}

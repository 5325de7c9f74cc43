import * as tf from '@tensorflow/tfjs-core';

/** Where a function has a corner, stock uses a slope outside of the possible range. */
export const MENDED_TIE_GRADIENTS: readonly tf.GradConfig[] = [
  // Stock gives the whole gradient to each of the largest elements, as if the maximum rose once for each of them.
  // Here they share it, as in TensorFlow.
  extreme(tf.Max, 'reductionIndices'),
  extreme(tf.Min, 'axis'),
  {
    // Stock has -1 at zero, so L1 regularisation moves weights that are zero, and the absolute error moves a perfect
    // prediction. Here the slope is 0, as in TensorFlow.
    kernelName: tf.Abs,
    inputsToSave: ['x'],
    gradFunc: (dy, [x]) => ({ x: () => tf.mul(dy as tf.Tensor, tf.sign(tf.cast(x!, 'float32'))) }),
  },
];

function extreme(kernelName: string, axisAttribute: string): tf.GradConfig {
  return {
    kernelName,
    inputsToSave: ['x'],
    outputsToSave: [true],
    gradFunc: (dy, saved, attrs) => {
      const [x, y] = saved as [tf.Tensor, tf.Tensor];
      return {
        x: () => {
          const axes = tf.util.parseAxisParam(attrs[axisAttribute] as number[], x.shape);
          const keptShape = x.shape.map((size, axis) => (axes.includes(axis) ? 1 : size));
          const largest = tf.cast(tf.equal(x, tf.reshape(y, keptShape)), 'float32');
          const share = tf.div(tf.reshape(dy as tf.Tensor, keptShape), tf.sum(largest, axes, true));
          return tf.mul(largest, share);
        },
      };
    },
  };
}

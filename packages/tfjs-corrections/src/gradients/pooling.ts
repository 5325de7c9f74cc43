import * as tf from '@tensorflow/tfjs-core';
import { covered, dividesByWindow, poolAxes, scaleWindows } from './pool-axes.js';
import { runKernel } from './run-kernel.js';

/** Stock has none: the values of `maxPoolWithArgmax` are those of `maxPool`, and so is their gradient. */
export const MAX_POOL_WITH_ARGMAX_GRADIENT: tf.GradConfig = {
  kernelName: tf.MaxPoolWithArgmax,
  inputsToSave: ['x'],
  outputsToSave: [true, false],
  gradFunc: (dys, saved, attrs) => ({ x: () => maxPoolGradient((dys as tf.Tensor[])[0]!, saved, attrs) }),
};

export const MENDED_POOLING_GRADIENTS: readonly tf.GradConfig[] = [
  {
    // Stock forgets dimRoundingMode, and then has fewer or more windows than the forward pass.
    kernelName: tf.MaxPool,
    inputsToSave: ['x'],
    outputsToSave: [true],
    gradFunc: (dy, saved, attrs) => ({ x: () => maxPoolGradient(dy as tf.Tensor, saved, attrs) }),
  },
  averagePool(tf.AvgPool, tf.AvgPoolGrad),
  averagePool(tf.AvgPool3D, tf.AvgPool3DGrad),
];

function maxPoolGradient(dy: tf.Tensor, saved: tf.Tensor[], attrs: tf.NamedAttrMap): tf.Tensor {
  const [input, output] = saved as [tf.Tensor, tf.Tensor];
  return runKernel(tf.MaxPoolGrad, { dy, input, output }, attrs);
}

/**
 * Stock divides by the size of the window, although at a padded border the mean covers only the elements inside: the
 * gradients there are too small. Here they are scaled up accordingly.
 */
function averagePool(kernelName: string, backprop: string): tf.GradConfig {
  return {
    kernelName,
    inputsToSave: ['x'],
    gradFunc: (dy, [x], attrs) => ({
      x: () => {
        if (!dividesByWindow(attrs)) return runKernel(backprop, { dy: dy as tf.Tensor, input: x! }, attrs);
        const scaled = poolAxes(x!.shape, attrs).reduce((gradient, axis, index) => {
          // A window that lies outside altogether passes nothing on.
          const factors = covered(axis).map((inside) => (inside === 0 ? 0 : axis.window / inside));
          return scaleWindows(gradient, index, factors);
        }, dy as tf.Tensor);
        return runKernel(backprop, { dy: scaled, input: x! }, attrs);
      },
    }),
  };
}

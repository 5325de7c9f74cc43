import { defineHook } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';

/** Multiplies all gradients by a factor. The tensors that it returns are the trainer's to dispose. */
export function gradientScaling({ factor = 0.5 } = {}) {
  return defineHook({
    name: 'gradient-scaling',
    transformGradients(_ctx, { gradients }) {
      const scaled = Object.entries(gradients).map(([path, gradient]) => [path, tf.mul(gradient, factor)]);
      return Object.fromEntries(scaled);
    },
  });
}

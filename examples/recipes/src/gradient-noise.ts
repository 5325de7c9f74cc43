import { defineHook } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';

/** Adds noise that fades with the steps. Its seed comes from the run's, so that the run can be repeated. */
export function gradientNoise({ scale = 0.01, decay = 0.55 } = {}) {
  return defineHook({
    name: 'gradient-noise',
    transformGradients(ctx, { gradients, step }) {
      const deviation = scale / (1 + step) ** decay;
      const noisy = Object.entries(gradients).map(([path, gradient]) => {
        const noise = () => tf.randomNormal(gradient.shape, 0, deviation, 'float32', ctx.seed(path));
        return [path, tf.tidy(() => tf.add(gradient, noise()))];
      });
      return Object.fromEntries(noisy);
    },
  });
}

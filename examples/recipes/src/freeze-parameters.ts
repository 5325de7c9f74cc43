import { defineHook } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';

/** Keeps parameters as they are for the first epochs, by giving them gradients of zero. */
export function freezeParameters({ params = /^encoder\//, epochs = 1 } = {}) {
  return defineHook({
    name: 'freeze-parameters',
    transformGradients(ctx, { gradients }) {
      if (ctx.state.completedEpochs >= epochs) return undefined;
      const frozen = Object.entries(gradients).filter(([path]) => params.test(path));
      // Paths that are left out keep their gradients.
      return Object.fromEntries(frozen.map(([path, gradient]) => [path, tf.zerosLike(gradient)]));
    },
  });
}

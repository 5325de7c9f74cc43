import { defineHook, every } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';

export interface WeightNormOptions {
  /** Steps between two measurements. */
  frequency?: number;
  verbose?: boolean;
}

/** Logs the norm of all weights as `weights/norm`, as often as it is told to. */
export function weightNorm({ frequency = 100, verbose = false }: WeightNormOptions = {}) {
  return defineHook({
    name: 'weight-norm',
    onStepEnd: every({ steps: frequency }, async (ctx, { step }) => {
      const squares = tf.tidy(() =>
        tf.addN(Object.values(ctx.state.parameters).map((weights) => tf.sum(tf.square(weights)))),
      );
      const norm = Math.sqrt((await squares.data())[0]!);
      squares.dispose();
      ctx.log({ 'weights/norm': norm });
      if (verbose) ctx.logger.info(`Step ${step}: the norm of the weights is ${norm.toFixed(3)}`);
    }),
  });
}

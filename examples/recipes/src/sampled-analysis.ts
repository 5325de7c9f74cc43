import { defineHook, sample } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';

/** Logs the share of gradient values that are zero, for a share of the batches: the same ones for the same seed. */
export function sampledAnalysis({ rate = 0.1 } = {}) {
  return defineHook({
    name: 'sampled-analysis',
    onAfterBackward: sample(rate, async (ctx, { gradients }) => {
      for (const [path, gradient] of Object.entries(gradients)) {
        const share = tf.tidy(() => tf.mean(tf.cast(tf.equal(gradient, 0), 'float32')));
        const [zeros] = await share.data();
        share.dispose();
        ctx.log({ [`zeros/${path}`]: zeros! });
      }
    }),
  });
}

import { defineHook, every, type LayerFilter, when } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';

export interface ActivationStatisticsOptions {
  layers?: LayerFilter;
  /** Steps between two measurements. */
  steps?: number;
}

/** Logs mean and standard deviation of the layers' outputs every so many steps, and changes nothing. */
export function activationStatistics({ layers = '**', steps = 100 }: ActivationStatisticsOptions = {}) {
  const pending = new Map<string, tf.Tensor>();
  const clear = () => {
    tf.dispose([...pending.values()]);
    pending.clear();
  };
  return defineHook({
    name: 'activation-statistics',
    layers,
    // Inside the gradient tape nothing can be awaited: compute here, read after the batch.
    onForward: every({ steps }, (_ctx, { path, output, training }) => {
      if (!training) return;
      const { mean, variance } = tf.moments(output);
      pending.get(path)?.dispose();
      pending.set(path, tf.keep(tf.stack([mean, tf.sqrt(variance)])));
    }),
    onTrainBatchEnd: when(
      () => pending.size > 0,
      async (ctx) => {
        for (const [path, statistics] of pending) {
          const [mean, std] = await statistics.data();
          ctx.log({ [`activations/${path}/mean`]: mean!, [`activations/${path}/std`]: std! });
        }
        clear();
      },
    ),
    teardown: clear,
  });
}

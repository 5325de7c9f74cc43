import { defineHook, type LoadedStateWithTensors } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';

/** Updates with the running average of the gradients. The averages are tensors, and part of every checkpoint. */
export function smoothedGradients({ decay = 0.9 } = {}) {
  let averages: Record<string, tf.Tensor> = {};
  return defineHook({
    name: 'smoothed-gradients',
    transformGradients(_ctx, { gradients }) {
      const before = averages;
      averages = mapValues(gradients, (gradient, path) =>
        tf.tidy(() => tf.add(tf.mul(before[path] ?? gradient, decay), tf.mul(gradient, 1 - decay))),
      );
      tf.dispose(before);
      // What is returned becomes the trainer's, so it gets clones.
      return mapValues(averages, (average) => tf.clone(average));
    },
    saveState: () => ({ json: null, tensors: averages }),
    loadState(state) {
      tf.dispose(averages);
      const { tensors } = state as LoadedStateWithTensors;
      averages = mapValues(tensors, ({ data, shape }) => tf.tensor(data, [...shape]));
    },
    teardown() {
      tf.dispose(averages);
      averages = {};
    },
  });
}

function mapValues<In, Out>(record: Readonly<Record<string, In>>, map: (value: In, key: string) => Out) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

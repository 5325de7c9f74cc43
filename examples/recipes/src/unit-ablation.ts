import { defineHook } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';

/** Silences one unit of a layer, to see what the model does without it. Gradients flow through the others. */
export function unitAblation({ layer, unit }: { layer: string; unit: number }) {
  return defineHook({
    name: 'unit-ablation',
    layers: layer,
    transformActivation(_ctx, { output }) {
      const units = output.shape.at(-1)!;
      return tf.mul(output, tf.sub(1, tf.oneHot(unit, units)));
    },
  });
}

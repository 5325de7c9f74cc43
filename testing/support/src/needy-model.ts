import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { fixWeights } from './models.js';

/** A model that needs nearly every correction of layers: masks, a frozen and a plain batch normalisation, one over another axis, a state. */
export function needyModel(): tfl.Sequential {
  const model = tfl.sequential({
    layers: [
      tfl.layers.masking({ batchInputShape: [2, 3, 2] }),
      tfl.layers.batchNormalization({ name: 'frozen', trainable: false }),
      tfl.layers.batchNormalization({ name: 'plain', scale: false, center: false }),
      tfl.layers.batchNormalization({ name: 'across', axis: 1 }),
      tfl.layers.lstm({ name: 'lstm', units: 2, stateful: true }),
    ],
  });
  fixWeights(model);
  // Variances are positive.
  for (const weight of model.weights) {
    if (weight.name.includes('variance')) weight.write(tf.ones(weight.shape as number[]));
  }
  return model;
}

/** Everything that the layers hold themselves, but their tensors. */
export function ownProperties(model: tfl.LayersModel): unknown[] {
  return model.layers.map((layer) => {
    const entries = Object.entries(Object.getOwnPropertyDescriptors(layer));
    const fixed = entries.filter(([name]) => !['states_', 'keptStates', '_callHook'].includes(name));
    return [layer.name, fixed.map(([name, { value, enumerable }]) => ({ name, value, enumerable }))];
  });
}

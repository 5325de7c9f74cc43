import * as tf from '@tensorflow/tfjs-core';
import { type LayersModel, layers, sequential } from '@tensorflow/tfjs-layers';

const xs = Array.from({ length: 32 }, (_, i) => [Math.sin(i), Math.cos(i)]);

export const SMALL_DATA = { xs, ys: xs.map(([a, b]) => [a! * b!]) };

export function smallModel(): LayersModel {
  return sequential({
    layers: [layers.dense({ units: 8, activation: 'tanh', inputShape: [2] }), layers.dense({ units: 1 })],
  });
}

export function predictionsOf(model: LayersModel): number[] {
  return tf.tidy(() => [...(model.predict(tf.tensor2d(xs)) as tf.Tensor).dataSync()]);
}

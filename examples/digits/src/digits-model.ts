import { layers, type Sequential, sequential } from '@tensorflow/tfjs-layers';

/** Pixels in, one score per digit out: logits, for a loss that applies the softmax itself. */
export function digitsModel(): Sequential {
  return sequential({
    layers: [
      layers.flatten({ inputShape: [8, 8] }),
      layers.dense({ name: 'hidden', units: 128, activation: 'relu' }),
      layers.dense({ name: 'scores', units: 10 }),
    ],
  });
}

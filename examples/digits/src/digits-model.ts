import { layers, type Sequential, sequential } from '@tensorflow/tfjs-layers';

/** Images in, one score per digit out: logits, for a loss that applies the softmax itself. */
export function digitsModel(): Sequential {
  return sequential({
    layers: [
      layers.reshape({ inputShape: [8, 8], targetShape: [8, 8, 1] }),
      layers.conv2d({ name: 'strokes', filters: 16, kernelSize: 3, padding: 'same', activation: 'relu' }),
      layers.conv2d({ name: 'shapes', filters: 32, kernelSize: 3, padding: 'same', activation: 'relu' }),
      layers.maxPooling2d({ poolSize: 2 }),
      layers.flatten(),
      layers.dense({ name: 'hidden', units: 64, activation: 'relu' }),
      layers.dense({ name: 'scores', units: 10 }),
    ],
  });
}

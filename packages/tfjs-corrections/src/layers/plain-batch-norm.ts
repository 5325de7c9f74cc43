import type { Layer } from '@hookline/layer-taps';
import * as tf from '@tensorflow/tfjs-core';
import { type Correction, overrideProperty, undoAll } from './override.js';

interface BatchNorm {
  readonly scale: boolean;
  readonly center: boolean;
  readonly movingMean: { read(): tf.Tensor };
}

/**
 * Stock: in training, a batch normalisation with `scale: false` or `center: false` reads the gamma or beta that it does not
 * have, and crashes. Here they are ones and zeros. They cannot be left out, because tfjs has no gradient for a batch
 * normalisation without them.
 */
export function plainBatchNorm(layers: readonly Layer[]): Correction | undefined {
  const plain = layers
    .filter((layer) => layer.getClassName() === 'BatchNormalization')
    .map((layer) => ({ layer, norm: layer as unknown as BatchNorm }))
    .filter(({ norm: { scale, center } }) => !scale || !center);
  if (plain.length === 0) return undefined;
  return (training) => {
    if (!training) return () => {};
    const undo = plain.flatMap(({ layer, norm: { scale, center, movingMean } }) => {
      const shape = movingMean.read().shape;
      return [
        ...(scale ? [] : [overrideProperty(layer, 'gamma', { read: () => tf.ones(shape) })]),
        ...(center ? [] : [overrideProperty(layer, 'beta', { read: () => tf.zeros(shape) })]),
      ];
    });
    return undoAll(undo);
  };
}

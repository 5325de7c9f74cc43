import type { Layer } from '@hookline/layer-taps';
import * as tf from '@tensorflow/tfjs-core';
import type { Correction } from './override.js';

interface DroppingCell {
  dropoutMask: tf.Tensor | tf.Tensor[] | null;
  recurrentDropoutMask: tf.Tensor | tf.Tensor[] | null;
}

/**
 * Stock: an RNN that is made of a cell, or of stacked cells, keeps its first dropout masks forever. It drops the same units
 * in every step, or none at all if its first use was a prediction, and fails with a batch of another size. Here the masks
 * last for one forward pass.
 */
export function rnnDropout(layers: readonly Layer[]): Correction | undefined {
  const cells = layers.filter(isDropping) as unknown as DroppingCell[];
  if (cells.length === 0) return undefined;
  const forget = () => {
    for (const cell of cells) {
      tf.dispose([cell.dropoutMask, cell.recurrentDropoutMask] as tf.TensorContainer);
      cell.dropoutMask = cell.recurrentDropoutMask = null;
    }
  };
  return () => {
    forget(); // masks from uses of the model elsewhere
    return forget;
  };
}

function isDropping(layer: Layer): boolean {
  const { dropout, recurrentDropout } = layer as unknown as { dropout?: unknown; recurrentDropout?: unknown };
  return 'dropoutMask' in layer && (Number(dropout) > 0 || Number(recurrentDropout) > 0);
}

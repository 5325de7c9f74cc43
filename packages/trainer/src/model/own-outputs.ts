import type { Batch, TensorTree } from '@hookline/hook-api';
import { leaves, mapTree } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';

/**
 * Outputs, which are disposed after use, must be the forward pass's own: an input that was passed through or a
 * variable of the model is cloned.
 */
export function ownOutputs(outputs: TensorTree, { xs }: Pick<Batch, 'xs'>): TensorTree {
  const inputs = leaves(xs);
  const isForeign = (tensor: tf.Tensor) => inputs.includes(tensor) || tensor.kept || 'assign' in tensor;
  return mapTree(outputs, (tensor) => (isForeign(tensor) ? tf.clone(tensor) : tensor));
}

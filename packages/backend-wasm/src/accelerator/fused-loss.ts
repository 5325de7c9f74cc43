import * as tf from '@tensorflow/tfjs-core';
import { activeContext } from '../enabled.js';
import { canFuseForward } from '../engine/engine-state.js';
import { fusedOperation, runMany, runOne } from '../engine/operations.js';
import { type FusedLossName, isFusedLoss, LOSS, LOSS_GRADIENT } from '../kernels/loss.js';

/**
 * The mean loss of a batch in one kernel, and its gradient in another. `outputs` are probabilities, or logits for
 * `softmaxCrossentropy` and `sigmoidCrossentropy`. Undefined where that is impossible: for another loss, on another
 * backend, for gradients of gradients, for empty tensors, and for shapes that differ. Targets count as constants: they
 * come from the data.
 */
export function fusedLoss(name: string, targets: tf.Tensor, outputs: tf.Tensor): tf.Scalar | undefined {
  if (!isFusedLoss(name) || !activeContext() || !canFuseForward()) return undefined;
  if (!tf.util.arraysEqual(targets.shape, outputs.shape) || outputs.size === 0) return undefined;
  if (outputs.dtype !== 'float32') return undefined;
  if (targets.dtype === 'float32') return lossOf(name, targets, outputs);
  return tf.tidy(() => lossOf(name, tf.cast(targets, 'float32'), outputs));
}

function lossOf(loss: FusedLossName, targets: tf.Tensor, outputs: tf.Tensor): tf.Scalar {
  return fusedOperation(
    { outputs },
    (save) => {
      const [value, kept] = runMany(LOSS, { targets, outputs }, { loss });
      save([targets, kept!]);
      return value!;
    },
    (dy, saved) => {
      const [y, kept] = saved as [tf.Tensor, tf.Tensor];
      return { outputs: () => runOne(LOSS_GRADIENT, { dy, targets: y, kept }, { loss }) };
    },
  ) as tf.Scalar;
}

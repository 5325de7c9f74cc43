import type * as tf from '@tensorflow/tfjs-core';
import { runMany } from '../engine/operations.js';
import { ACTIVATION_GRADIENT, type FusedActivation } from '../kernels/fused-gradient.js';

/**
 * The gradient before the activation, and that of the bias. Must not be called inside the gradient function of a single
 * input: the others need the result too, and tensors made there are disposed of when it returns.
 */
export function gradientBeforeActivation(
  dy: tf.Tensor,
  y: tf.Tensor | undefined,
  activation: FusedActivation,
  bias: boolean,
): { dz: tf.Tensor; dBias: tf.Tensor | undefined } {
  if (activation === 'linear' && !bias) return { dz: dy, dBias: undefined };
  const made = runMany(ACTIVATION_GRADIENT, { dy, y: y ?? dy }, { activation, bias });
  return {
    dz: activation === 'linear' ? dy : made[0]!,
    dBias: bias ? made.at(-1) : undefined,
  };
}

import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';

/**
 * Loss and gradients of `compute`, by variable name; all belong to the caller. tfjs leaves the tensors saved for
 * the backward pass behind when `compute` throws, for example in a hook, and the loss when the backward pass does:
 * here nothing stays.
 */
export function lossAndGradients(
  compute: () => tf.Scalar,
  variables: tf.Variable[],
): { loss: tf.Scalar; gradients: tf.NamedTensorMap } {
  let loss: tf.Scalar | undefined;
  const forward = () => {
    loss = compute();
    return loss;
  };
  try {
    const { value, grads } = tf.variableGrads(forward, variables);
    return { loss: value, gradients: grads };
  } catch (error) {
    loss?.dispose();
    releaseTape();
    if (String((error as Error | undefined)?.message).startsWith('Cannot find a connection')) {
      throw trainerError(
        'BAD_LOSS',
        'The loss does not depend on any parameter that learns, so there is nothing to minimise. Compute it from the outputs with functions of tf: numbers that were read from a tensor have no gradient.',
        error,
      );
    }
    throw error;
  }
}

interface Tape {
  state: { activeTape: { saved?: tf.Tensor[] }[] | null; gradientDepth: number };
}

function releaseTape(): void {
  const { state } = tf.engine() as unknown as Tape;
  if (state.gradientDepth > 0 || state.activeTape === null) return;
  for (const { saved } of state.activeTape) tf.dispose(saved ?? []);
  state.activeTape = null;
}

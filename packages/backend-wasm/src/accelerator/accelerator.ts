import type { Accelerator, TensorMovement, TensorStatistics } from '@hookline/numerics';
import type * as tf from '@tensorflow/tfjs-core';
import { activeContext } from '../enabled.js';
import { fusedLoss } from './fused-loss.js';
import { gradientNorm } from './gradient-norm.js';
import { isOnWasm } from './ownership.js';
import { movementOf, statisticsOf } from './statistics.js';
import { updateInPlace } from './update-in-place.js';

/** What this backend offers to training besides the kernels of tfjs. */
export const wasmAccelerator: Accelerator = {
  loss: fusedLoss,
  update: updateInPlace,
  norm: gradientNorm,
  allFinite,
  statistics,
  movement,
};

function allFinite(tensor: tf.Tensor): boolean | undefined {
  const context = activeContext();
  if (!context || !isOnWasm(context, tensor)) return undefined;
  return context.module.allFinite(context.address(tensor), tensor.size) !== 0;
}

function statistics(tensor: tf.Tensor): TensorStatistics | undefined {
  const context = activeContext();
  return context && isOnWasm(context, tensor) ? statisticsOf(context, tensor) : undefined;
}

function movement(before: tf.Tensor, after: tf.Tensor): TensorMovement | undefined {
  const context = activeContext();
  if (!context || before.size !== after.size) return undefined;
  return isOnWasm(context, before) && isOnWasm(context, after)
    ? movementOf(context, before, after)
    : undefined;
}

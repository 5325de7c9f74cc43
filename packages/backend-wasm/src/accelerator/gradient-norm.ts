import type { Tensor } from '@tensorflow/tfjs-core';
import { activeContext } from '../enabled.js';
import { isOnWasm } from './ownership.js';
import { sumOfSquares } from './statistics.js';

/**
 * The norm of several tensors together, in one pass and as a number: not finite if one of them is not. Undefined when
 * training is not enabled, or a tensor is not on wasm.
 */
export function gradientNorm(gradients: readonly Tensor[]): number | undefined {
  const context = activeContext();
  if (!context || !gradients.every((gradient) => isOnWasm(context, gradient))) return undefined;
  return Math.sqrt(sumOfSquares(context, gradients));
}

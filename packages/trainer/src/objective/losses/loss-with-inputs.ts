import type { LossContext } from '@hookline/hook-api';
import type * as tf from '@tensorflow/tfjs-core';
import type { LossFunction } from './loss-function.js';

/** A loss that is also given the inputs of the batch, and `log` for its parts. */
export type LossWithInputs = (targets: tf.Tensor, outputs: tf.Tensor, context: LossContext) => tf.Tensor;

const MARK = Symbol.for('hookline.loss-with-inputs');

/**
 * Makes a loss function that is given a third argument. Said explicitly, because the third argument of many loss
 * functions, such as those of `tf.losses`, means something else.
 *
 * @example loss: lossWithInputs((targets, outputs, { inputs, log }) => ...)
 */
export function lossWithInputs(loss: LossWithInputs): LossFunction {
  const marked: LossWithInputs = (targets, outputs, context) => loss(targets, outputs, context);
  return Object.defineProperty(marked, MARK, { value: true }) as LossFunction;
}

/** The losses of an output by any loss function. */
export function callLoss(
  loss: LossFunction,
  targets: tf.Tensor,
  outputs: tf.Tensor,
  context: LossContext,
): unknown {
  return MARK in loss ? (loss as LossWithInputs)(targets, outputs, context) : loss(targets, outputs);
}

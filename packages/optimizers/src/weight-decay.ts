import * as tf from '@tensorflow/tfjs-core';
import type { UpdateInput } from './rules/update-rule.js';

/** The gradient with weight decay added to it, as L2 regularisation would. */
export function withWeightDecay({ value, gradient, hyper, scalar }: UpdateInput): tf.Tensor {
  const { weightDecay = 0 } = hyper;
  return weightDecay === 0 ? gradient : tf.add(gradient, tf.mul(value, scalar(weightDecay)));
}

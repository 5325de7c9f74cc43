import * as tf from '@tensorflow/tfjs-core';
import { withWeightDecay } from '../weight-decay.js';
import type { UpdateRule } from './update-rule.js';

export interface AdadeltaOptions {
  /** 1 when absent: the steps have the size of the weights already. */
  lr?: number;
  /** How much of both moving means is kept at each step, 0.9 when absent. */
  rho?: number;
  /** Added to both means before their roots are taken, 1e-6 when absent; it sets the size of the first step. */
  epsilon?: number;
  /** Added to the gradient, as L2 regularisation. */
  weightDecay?: number;
}

/** Steps of the size of the latest steps, over gradients of the size of the latest gradients, this one included. */
export function adadelta({ rho = 0.9, epsilon = 1e-6 }: AdadeltaOptions): UpdateRule {
  return {
    slots: ['square', 'delta'],
    spec: { kind: 'adadelta', rho, epsilon },
    update: (input) => {
      const { value, slots, hyper, scalar } = input;
      const gradient = withWeightDecay(input);
      const moving = (last: tf.Tensor, next: tf.Tensor) =>
        tf.add(tf.mul(last, scalar(rho)), tf.mul(tf.square(next), scalar(1 - rho)));
      const root = (mean: tf.Tensor) => tf.sqrt(tf.add(mean, scalar(epsilon)));
      const square = moving(slots[0]!, gradient);
      const step = tf.mul(tf.div(root(slots[1]!), root(square)), gradient);
      return {
        value: tf.sub(value, tf.mul(step, scalar(hyper.lr))),
        slots: [square, moving(slots[1]!, step)],
      };
    },
  };
}

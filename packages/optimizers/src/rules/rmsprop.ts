import * as tf from '@tensorflow/tfjs-core';
import { withWeightDecay } from '../weight-decay.js';
import type { UpdateRule } from './update-rule.js';

export interface RmspropOptions {
  /** 0.01 when absent. */
  lr?: number;
  /** How much of the mean of squares is kept at each step, 0.99 when absent; PyTorch calls it alpha. */
  rho?: number;
  /** Added to the root, 1e-8 when absent. */
  epsilon?: number;
  momentum?: number;
  /** Divides by the standard deviation of the gradient rather than by its root mean square. */
  centered?: boolean;
  /** Added to the gradient, as L2 regularisation. */
  weightDecay?: number;
}

/** Divides the gradient by the root of a moving mean of its squares; the step then goes through the momentum. */
export function rmsprop({
  rho = 0.99,
  epsilon = 1e-8,
  momentum = 0,
  centered = false,
}: RmspropOptions): UpdateRule {
  return {
    slots: ['square', ...(centered ? ['mean'] : []), ...(momentum === 0 ? [] : ['velocity'])],
    spec: { kind: 'rmsprop', rho, epsilon, centered },
    update: (input) => {
      const { value, slots, hyper, scalar } = input;
      const gradient = withWeightDecay(input);
      const moving = (last: tf.Tensor, next: tf.Tensor) =>
        tf.add(tf.mul(last, scalar(rho)), tf.mul(next, scalar(1 - rho)));
      const square = moving(slots[0]!, tf.square(gradient));
      const mean = centered ? moving(slots[1]!, gradient) : undefined;
      // A variance is never negative, but the difference of rounded numbers can be: its root would be NaN.
      const power = mean ? tf.relu(tf.sub(square, tf.square(mean))) : square;
      const step = tf.div(gradient, tf.add(tf.sqrt(power), scalar(epsilon)));
      const kept = mean ? [square, mean] : [square];
      if (momentum === 0) return { value: tf.sub(value, tf.mul(step, scalar(hyper.lr))), slots: kept };
      const velocity = tf.add(tf.mul(slots.at(-1)!, scalar(hyper.momentum ?? momentum)), step);
      return { value: tf.sub(value, tf.mul(velocity, scalar(hyper.lr))), slots: [...kept, velocity] };
    },
  };
}

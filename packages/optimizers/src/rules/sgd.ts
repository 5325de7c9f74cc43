import * as tf from '@tensorflow/tfjs-core';
import { withWeightDecay } from '../weight-decay.js';
import type { UpdateRule } from './update-rule.js';

export interface SgdOptions {
  /** 0.01 when absent. */
  lr?: number;
  momentum?: number;
  /** Looks ahead along the momentum. */
  nesterov?: boolean;
  /** Added to the gradient, as L2 regularisation. */
  weightDecay?: number;
}

/** Gradient descent, with the momentum of PyTorch and Keras: velocity = momentum * velocity + gradient. */
export function sgd({ momentum = 0, nesterov = false }: SgdOptions): UpdateRule {
  return {
    slots: momentum === 0 ? [] : ['velocity'],
    spec: { kind: 'sgd', nesterov },
    update: (input) => {
      const { value, hyper, scalar } = input;
      const { lr } = hyper;
      const [velocity] = input.slots;
      const decayed = withWeightDecay(input);
      if (!velocity) return { value: tf.sub(value, tf.mul(decayed, scalar(lr))), slots: [] };
      const mu = hyper.momentum ?? momentum;
      const next = tf.add(tf.mul(velocity, scalar(mu)), decayed);
      const direction = nesterov ? tf.add(decayed, tf.mul(next, scalar(mu))) : next;
      return { value: tf.sub(value, tf.mul(direction, scalar(lr))), slots: [next] };
    },
  };
}

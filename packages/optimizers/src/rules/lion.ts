import * as tf from '@tensorflow/tfjs-core';
import type { UpdateRule } from './update-rule.js';

export interface LionOptions {
  /** 0.0001 when absent: every number moves by the whole of it, so it is smaller than for adam, 3 to 10 times. */
  lr?: number;
  /** How much the momentum counts in the direction, 0.9 when absent. */
  beta1?: number;
  /** How much of the momentum is kept at each step, 0.99 when absent. */
  beta2?: number;
  /** Taken off the weights directly, times the learning rate; 3 to 10 times that of adamw. */
  weightDecay?: number;
}

/** Moves by the sign of momentum and gradient together (Chen et al. 2023). Half the memory of adam. */
export function lion({ beta1 = 0.9, beta2 = 0.99 }: LionOptions): UpdateRule {
  return {
    slots: ['m'],
    spec: { kind: 'lion', beta1, beta2 },
    update: ({ value, gradient, slots: [lastM], hyper: { lr, weightDecay = 0 }, scalar }) => {
      const mixed = (beta: number) =>
        tf.add(tf.mul(lastM!, scalar(beta)), tf.mul(gradient, scalar(1 - beta)));
      const decayed = weightDecay === 0 ? value : tf.mul(value, scalar(1 - lr * weightDecay));
      return {
        value: tf.sub(decayed, tf.mul(tf.sign(mixed(beta1)), scalar(lr))),
        slots: [mixed(beta2)],
      };
    },
  };
}

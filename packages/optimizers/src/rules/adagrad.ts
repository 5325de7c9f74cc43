import * as tf from '@tensorflow/tfjs-core';
import { withWeightDecay } from '../weight-decay.js';
import type { UpdateRule } from './update-rule.js';

export interface AdagradOptions {
  /** 0.01 when absent. */
  lr?: number;
  /** Where the sum of squares starts, 0 when absent; Keras starts at 0.1. */
  initialAccumulator?: number;
  /** Added to the root, 1e-10 when absent. */
  epsilon?: number;
  /** Added to the gradient, as L2 regularisation. */
  weightDecay?: number;
}

/** Divides the gradient by the root of the sum of all its squares so far. */
export function adagrad({ initialAccumulator = 0, epsilon = 1e-10 }: AdagradOptions): UpdateRule {
  return {
    slots: ['sum'],
    spec: { kind: 'adagrad', initialAccumulator, epsilon },
    update: (input) => {
      const { value, slots, hyper, scalar } = input;
      const gradient = withWeightDecay(input);
      const sum = tf.add(slots[0]!, tf.square(gradient));
      // Slots start as zeros: what the sum starts with is added where it is used.
      const whole = initialAccumulator === 0 ? sum : tf.add(sum, scalar(initialAccumulator));
      const step = tf.div(gradient, tf.add(tf.sqrt(whole), scalar(epsilon)));
      return { value: tf.sub(value, tf.mul(step, scalar(hyper.lr))), slots: [sum] };
    },
  };
}

import * as tf from '@tensorflow/tfjs-core';
import { withWeightDecay } from '../weight-decay.js';
import type { UpdateInput, UpdateRule } from './update-rule.js';

export interface AdamOptions {
  /** 0.001 when absent. */
  lr?: number;
  /** How much of the mean is kept at each step, 0.9 when absent. */
  beta1?: number;
  /** How much of the mean of squares is kept at each step, 0.999 when absent. */
  beta2?: number;
  /** Added to the root, 1e-7 when absent, as in Keras. */
  epsilon?: number;
  /** `adam`: added to the gradient. `adamw`: taken off the weights, times the learning rate; 0.01 when absent. */
  weightDecay?: number;
}

/**
 * Adam. The bias correction comes from the integer step rather than from running float32 powers of beta, so that
 * a restored state continues to the bit.
 */
export function adam(options: AdamOptions): UpdateRule {
  const settings = settingsOf(options);
  return {
    slots: ['m', 'v'],
    spec: { kind: 'adam', ...settings, decoupled: false },
    update: (input) => {
      const { direction, m, v } = momentsOf(settings, { ...input, gradient: withWeightDecay(input) });
      return { value: tf.sub(input.value, direction), slots: [m, v] };
    },
  };
}

/** Adam with decoupled weight decay. */
export function adamw(options: AdamOptions): UpdateRule {
  const settings = settingsOf(options);
  return {
    slots: ['m', 'v'],
    spec: { kind: 'adam', ...settings, decoupled: true },
    update: (input) => {
      const { lr, weightDecay = 0 } = input.hyper;
      const { direction, m, v } = momentsOf(settings, input);
      const decayed = tf.mul(input.value, input.scalar(1 - lr * weightDecay));
      return { value: tf.sub(decayed, direction), slots: [m, v] };
    },
  };
}

type Settings = Required<Pick<AdamOptions, 'beta1' | 'beta2' | 'epsilon'>>;

function settingsOf({ beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7 }: AdamOptions): Settings {
  return { beta1, beta2, epsilon };
}

function momentsOf({ beta1, beta2, epsilon }: Settings, input: UpdateInput) {
  const { gradient, slots, step, hyper, scalar } = input;
  const [lastM, lastV] = slots;
  const m = tf.add(tf.mul(lastM!, scalar(beta1)), tf.mul(gradient, scalar(1 - beta1)));
  const v = tf.add(tf.mul(lastV!, scalar(beta2)), tf.mul(tf.square(gradient), scalar(1 - beta2)));
  // Both corrections are folded into two numbers, so that they cost no operation on the tensors.
  const correction2 = Math.sqrt(1 - beta2 ** step);
  const size = (hyper.lr * correction2) / (1 - beta1 ** step);
  const direction = tf.mul(tf.div(m, tf.add(tf.sqrt(v), scalar(epsilon * correction2))), scalar(size));
  return { direction, m, v };
}

import type { UpdateRule } from './update-rule.js';

export interface LionOptions {
  /** Default 0.0001. Every number moves by all of it, so it is 3 to 10 times smaller than for adam. */
  lr?: number;
  /** How much the momentum counts in the direction; default 0.9. */
  beta1?: number;
  /** How much of the momentum is kept at each step; default 0.99. */
  beta2?: number;
  /** Taken off the weights directly, times the learning rate; 3 to 10 times that of adamw. */
  weightDecay?: number;
}

/** Moves by the sign of momentum and gradient together (Chen et al. 2023). Half the memory of adam. */
export function lion({ beta1 = 0.9, beta2 = 0.99 }: LionOptions): UpdateRule {
  return {
    slots: ['m'],
    spec: { kind: 'lion', beta1, beta2 },
    update: ({ value, gradient, slots, hyper: { lr, weightDecay = 0 }, math }) => {
      const m = slots[0]!;
      const decayed = weightDecay === 0 ? value : math.scale(value, 1 - lr * weightDecay);
      const direction = math.sign(math.blend(m, gradient, beta1));
      return {
        value: math.sub(decayed, math.scale(direction, lr)),
        slots: [math.blend(m, gradient, beta2)],
      };
    },
  };
}

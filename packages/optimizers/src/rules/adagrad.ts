import { type UpdateRule, withWeightDecay } from './update-rule.js';

export interface AdagradOptions {
  /** Default 0.01. */
  lr?: number;
  /** Where the sum of squares starts; default 0. Keras starts at 0.1. */
  initialAccumulator?: number;
  /** Added to the root; default 1e-10. */
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
      const { value, slots, hyper, math } = input;
      const gradient = withWeightDecay(input);
      const sum = math.add(slots[0]!, math.mul(gradient, gradient));
      // Slots start as zeros, so the initial value of the sum is added where the sum is used.
      const whole = initialAccumulator === 0 ? sum : math.shift(sum, initialAccumulator);
      const step = math.div(gradient, math.shift(math.sqrt(whole), epsilon));
      return { value: math.sub(value, math.scale(step, hyper.lr)), slots: [sum] };
    },
  };
}

import { type UpdateRule, withWeightDecay } from './update-rule.js';

export interface SgdOptions {
  /** Default 0.01. */
  lr?: number;
  /** Default 0. */
  momentum?: number;
  /** Looks ahead along the momentum; default false. */
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
      const { value, hyper, math } = input;
      const [velocity] = input.slots;
      const decayed = withWeightDecay(input);
      if (!velocity) return { value: math.sub(value, math.scale(decayed, hyper.lr)), slots: [] };
      const mu = hyper.momentum ?? momentum;
      const next = math.add(math.scale(velocity, mu), decayed);
      const direction = nesterov ? math.add(decayed, math.scale(next, mu)) : next;
      return { value: math.sub(value, math.scale(direction, hyper.lr)), slots: [next] };
    },
  };
}

import { type UpdateRule, withWeightDecay } from './update-rule.js';

export interface AdadeltaOptions {
  /** Default 1: the steps already have the size of the weights. */
  lr?: number;
  /** How much of both moving means is kept at each step; default 0.9. */
  rho?: number;
  /** Added to both means before their roots are taken; default 1e-6. It sets the size of the first step. */
  epsilon?: number;
  /** Added to the gradient, as L2 regularisation. */
  weightDecay?: number;
}

/** Steps of the size of recent steps, divided by gradients of the size of recent gradients, this one included. */
export function adadelta({ rho = 0.9, epsilon = 1e-6 }: AdadeltaOptions): UpdateRule {
  return {
    slots: ['square', 'delta'],
    spec: { kind: 'adadelta', rho, epsilon },
    update: (input) => {
      const { value, slots, hyper, math } = input;
      const gradient = withWeightDecay(input);
      const root = (mean: typeof value) => math.sqrt(math.shift(mean, epsilon));
      const square = math.blend(slots[0]!, math.mul(gradient, gradient), rho);
      const step = math.mul(math.div(root(slots[1]!), root(square)), gradient);
      return {
        value: math.sub(value, math.scale(step, hyper.lr)),
        slots: [square, math.blend(slots[1]!, math.mul(step, step), rho)],
      };
    },
  };
}

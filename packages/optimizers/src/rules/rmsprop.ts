import { type UpdateRule, withWeightDecay } from './update-rule.js';

export interface RmspropOptions {
  /** Default 0.01. */
  lr?: number;
  /** How much of the mean of squares is kept at each step; default 0.99. PyTorch calls it alpha. */
  rho?: number;
  /** Added to the root; default 1e-8. */
  epsilon?: number;
  /** Default 0. */
  momentum?: number;
  /** Divides by the standard deviation of the gradient rather than by its root mean square; default false. */
  centered?: boolean;
  /** Added to the gradient, as L2 regularisation. */
  weightDecay?: number;
}

/** Divides the gradient by the root of a moving mean of its squares; the momentum then applies to that step. */
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
      const { value, slots, hyper, math } = input;
      const gradient = withWeightDecay(input);
      const square = math.blend(slots[0]!, math.mul(gradient, gradient), rho);
      const mean = centered ? math.blend(slots[1]!, gradient, rho) : undefined;
      // A variance is never negative, but the difference of rounded numbers can be: its root would be NaN.
      const power = mean ? math.relu(math.sub(square, math.mul(mean, mean))) : square;
      const step = math.div(gradient, math.shift(math.sqrt(power), epsilon));
      const kept = mean ? [square, mean] : [square];
      if (momentum === 0) return { value: math.sub(value, math.scale(step, hyper.lr)), slots: kept };
      const velocity = math.add(math.scale(slots.at(-1)!, hyper.momentum ?? momentum), step);
      return { value: math.sub(value, math.scale(velocity, hyper.lr)), slots: [...kept, velocity] };
    },
  };
}

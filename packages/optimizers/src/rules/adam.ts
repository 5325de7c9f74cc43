import { type UpdateInput, type UpdateRule, withWeightDecay } from './update-rule.js';

export interface AdamOptions {
  /** Default 0.001. */
  lr?: number;
  /** How much of the mean is kept at each step; default 0.9. */
  beta1?: number;
  /** How much of the mean of squares is kept at each step; default 0.999. */
  beta2?: number;
  /** Added to the root; default 1e-7, as in Keras. */
  epsilon?: number;
  /** `adam`: added to the gradient, default 0. `adamw`: taken off the weights, times the learning rate, default 0.01. */
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
      const { direction, m, v } = momentsOf(settings, input, withWeightDecay(input));
      return { value: input.math.sub(input.value, direction), slots: [m, v] };
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
      const { value, math, hyper } = input;
      const { lr, weightDecay = 0 } = hyper;
      const { direction, m, v } = momentsOf(settings, input, input.gradient);
      return { value: math.sub(math.scale(value, 1 - lr * weightDecay), direction), slots: [m, v] };
    },
  };
}

type Settings = Required<Pick<AdamOptions, 'beta1' | 'beta2' | 'epsilon'>>;

function settingsOf({ beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7 }: AdamOptions): Settings {
  return { beta1, beta2, epsilon };
}

function momentsOf<Values>(
  { beta1, beta2, epsilon }: Settings,
  { slots, step, hyper, math }: UpdateInput<Values>,
  gradient: Values,
): { direction: Values; m: Values; v: Values } {
  const m = math.blend(slots[0]!, gradient, beta1);
  const v = math.blend(slots[1]!, math.mul(gradient, gradient), beta2);
  // Both corrections are folded into two numbers, so that they cost no operation on the tensors.
  const correction2 = Math.sqrt(1 - beta2 ** step);
  const size = (hyper.lr * correction2) / (1 - beta1 ** step);
  const root = math.shift(math.sqrt(v), epsilon * correction2);
  return { direction: math.scale(math.div(m, root), size), m, v };
}

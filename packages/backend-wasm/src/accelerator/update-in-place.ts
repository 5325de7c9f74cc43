import type { ParameterUpdate, UpdateRuleSpec } from '@hookline/numerics';
import type { KernelContext } from '../backend/kernel-context.js';
import { activeContext } from '../enabled.js';
import type { Address } from '../module/exports.js';
import { isOnWasm, ownData, renumber } from './ownership.js';

/**
 * Moves a parameter by one step of an optimizer, in place and in one pass, with the bits of the portable operations.
 * Returns false, and changes nothing, where that is impossible.
 */
export function updateInPlace(rule: UpdateRuleSpec, input: ParameterUpdate): boolean {
  const context = activeContext();
  const { variable, gradient, slots } = input;
  if (!context || ![variable, gradient, ...slots].every((tensor) => isOnWasm(context, tensor))) return false;
  if (variable.size !== gradient.size) return false;
  // If somebody has a clone of a slot, the portable rule has to make a new one.
  if (slots.some((slot) => context.backend.refCount(slot.dataId) > 1)) return false;
  const data = ownData(context, variable);
  run(
    context,
    rule,
    input,
    data.memoryOffset,
    slots.map((slot) => context.address(slot)),
  );
  renumber(context, data, variable.size);
  return true;
}

function run(
  context: KernelContext,
  rule: UpdateRuleSpec,
  input: ParameterUpdate,
  p: Address,
  slots: Address[],
): void {
  const { module } = context;
  const { step, hyper } = input;
  const { lr, momentum = 0, weightDecay = 0 } = hyper;
  const g = context.address(input.gradient);
  const n = input.variable.size;
  const [first = 0, second = 0] = slots;
  switch (rule.kind) {
    case 'sgd':
      module.sgd(p, first, g, n, lr, momentum, rule.nesterov, weightDecay);
      break;
    case 'adam': {
      const { beta1, beta2, epsilon, decoupled } = rule;
      const correction = Math.sqrt(1 - beta2 ** step);
      const size = (lr * correction) / (1 - beta1 ** step);
      const [decay, keep] = decoupled ? [0, 1 - lr * weightDecay] : [weightDecay, 1];
      // biome-ignore format: the order of adam.
      module.adam(p, first, second, g, n, beta1, 1 - beta1, beta2, 1 - beta2, epsilon * correction, size, decay, keep);
      break;
    }
    case 'rmsprop': {
      const { rho, epsilon, centered } = rule;
      const mean = centered ? second : 0;
      const velocity = slots[centered ? 2 : 1] ?? 0;
      module.rmsprop(p, first, mean, velocity, g, n, lr, rho, 1 - rho, epsilon, momentum, weightDecay);
      break;
    }
    case 'adagrad':
      module.adagrad(p, first, g, n, lr, rule.initialAccumulator, rule.epsilon, weightDecay);
      break;
    case 'adadelta':
      module.adadelta(p, first, second, g, n, lr, rule.rho, 1 - rule.rho, rule.epsilon, weightDecay);
      break;
    case 'lion': {
      const { beta1, beta2 } = rule;
      const keep = weightDecay === 0 ? 1 : 1 - lr * weightDecay;
      module.lion(p, first, g, n, lr, beta1, 1 - beta1, beta2, 1 - beta2, keep);
      break;
    }
  }
}

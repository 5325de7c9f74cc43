import type * as tf from '@tensorflow/tfjs-core';
import type { GradientRule, TapeNode } from './engine-state.js';

const REPEATS: unique symbol = Symbol.for('hookline.backend-wasm.repeats');

/** Key of an attribute: the name of an operation of this package whose gradient repeats. */
export const OPERATION: unique symbol = Symbol.for('hookline.backend-wasm.operation');

type When = (attrs: tf.NamedAttrMap, saved: readonly tf.Tensor[]) => boolean;

/**
 * Says of a gradient function that it repeats: for equal attributes, and tensors of equal shapes and types, it runs the
 * same kernels on dy and what was saved. Nobody can see that from outside, as it may read whatever JavaScript can reach.
 */
export function repeats<Rule extends GradientRule>(rule: Rule, when: When = () => true): Rule {
  Object.defineProperty(rule, REPEATS, { value: when });
  return rule;
}

/** Whether the gradient of an operation repeats: only what this package has written is known to. */
export function isRepeatable({ operation, rule, attrs, saved }: TapeNode): boolean {
  if (operation !== undefined) return true;
  const when = (rule as { [REPEATS]?: When } | undefined)?.[REPEATS];
  return when?.((attrs ?? {}) as tf.NamedAttrMap, saved) ?? false;
}

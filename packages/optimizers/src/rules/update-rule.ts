import type { UpdateRuleSpec } from '@hookline/numerics';
import type { Arithmetic } from './arithmetic.js';

/**
 * What an optimizer is made of: how one parameter moves, given its gradient and what is remembered about it. A rule is
 * written once, over an `Arithmetic`: the same formula runs on tensors of any backend and on plain arrays.
 */
export interface UpdateRule {
  /** What is remembered for each parameter, by name; every slot starts as zeros. */
  readonly slots: readonly string[];
  /** The new value of the parameter and of its slots. */
  update<Values>(input: UpdateInput<Values>): Updated<Values>;
  /** The same rule for a backend that can apply it in place; it gives the same bits. */
  readonly spec: UpdateRuleSpec;
}

export interface UpdateInput<Values> {
  value: Values;
  gradient: Values;
  slots: readonly Values[];
  /** Counts the updates of this optimizer, from 1. */
  step: number;
  hyper: Hyperparameters;
  math: Arithmetic<Values>;
}

export interface Updated<Values> {
  value: Values;
  slots: Values[];
}

/** The numbers for this update; `lr` is already scaled. */
export interface Hyperparameters {
  lr: number;
  momentum?: number;
  weightDecay?: number;
}

/** The gradient with weight decay added to it, as L2 regularisation would. */
export function withWeightDecay<Values>({ value, gradient, hyper, math }: UpdateInput<Values>): Values {
  const { weightDecay = 0 } = hyper;
  return weightDecay === 0 ? gradient : math.add(gradient, math.scale(value, weightDecay));
}

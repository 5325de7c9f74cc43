import type { UpdateRuleSpec } from '@hookline/numerics';
import type { Tensor } from '@tensorflow/tfjs-core';

/** What an optimizer is made of: how one parameter moves, given its gradient and what is remembered about it. */
export interface UpdateRule {
  /** The tensors remembered for each parameter, by name; they start as zeros. */
  readonly slots: readonly string[];
  /**
   * New value of the parameter and of its slots. Runs in a tidy: returned tensors are kept, others go.
   * `step` counts this optimizer's updates, from 1.
   */
  update(input: UpdateInput): { value: Tensor; slots: Tensor[] };
  /** The same rule, to the bit, where the backend can apply it in place. */
  readonly spec: UpdateRuleSpec;
}

export interface UpdateInput {
  value: Tensor;
  gradient: Tensor;
  slots: readonly Tensor[];
  step: number;
  hyper: Hyperparameters;
  /** A number as a tensor, made once for all parameters of the step: tfjs would make one for each operation. */
  scalar(value: number): Tensor;
}

/** As they are for this update; `lr` is already scaled. */
export interface Hyperparameters {
  lr: number;
  momentum?: number;
  weightDecay?: number;
}

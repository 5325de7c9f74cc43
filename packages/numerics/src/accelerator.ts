import * as tf from '@tensorflow/tfjs-core';

/**
 * What a backend can do faster than the operations of tfjs, with the same results. Training looks for it at run time and
 * takes the generic path where there is none, or where a method answers that it cannot help: for other shapes or types.
 */
export interface Accelerator {
  /** The mean loss of a batch, on the tape; undefined where it cannot. */
  loss(name: string, targets: tf.Tensor, outputs: tf.Tensor): tf.Scalar | undefined;
  /** Moves a parameter by one step, in place; false, and nothing changed, where it cannot. */
  update(rule: UpdateRuleSpec, step: ParameterUpdate): boolean;
  /** The norm of several tensors together, not finite if one of them is not; undefined where it cannot. */
  norm(tensors: readonly tf.Tensor[]): number | undefined;
  /** Whether every value of a tensor is finite; undefined where it cannot tell. */
  allFinite(tensor: tf.Tensor): boolean | undefined;
  /** What the values of a tensor look like, in one pass; undefined where it cannot. */
  statistics(tensor: tf.Tensor): TensorStatistics | undefined;
  /** How far a tensor has moved; undefined where it cannot. */
  movement(before: tf.Tensor, after: tf.Tensor): TensorMovement | undefined;
}

/** An optimizer, with the settings that do not change from step to step. */
export type UpdateRuleSpec =
  | { readonly kind: 'sgd'; readonly nesterov: boolean }
  | {
      readonly kind: 'adam';
      readonly beta1: number;
      readonly beta2: number;
      readonly epsilon: number;
      /** Subtracts weight decay from the weights instead of adding it to the gradient: adamw. */
      readonly decoupled: boolean;
    }
  | { readonly kind: 'rmsprop'; readonly rho: number; readonly epsilon: number; readonly centered: boolean }
  | { readonly kind: 'adagrad'; readonly initialAccumulator: number; readonly epsilon: number }
  | { readonly kind: 'adadelta'; readonly rho: number; readonly epsilon: number }
  | { readonly kind: 'lion'; readonly beta1: number; readonly beta2: number };

/** One step for one parameter. */
export interface ParameterUpdate {
  readonly variable: tf.Variable;
  readonly gradient: tf.Tensor;
  /** What the optimizer remembers about the parameter; updated as well. */
  readonly slots: readonly tf.Tensor[];
  /** Counts from 1. */
  readonly step: number;
  readonly hyper: { readonly lr: number; readonly momentum?: number; readonly weightDecay?: number };
}

/** In double precision. Without a finite value, the last four are NaN. */
export interface TensorStatistics {
  /** Of all values: not finite if one of them is not. */
  readonly sumSquares: number;
  /** How many values are finite. */
  readonly finite: number;
  readonly zeros: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly std: number;
}

/** Sums of squares. */
export interface TensorMovement {
  readonly before: number;
  /** Of the differences. */
  readonly change: number;
}

/**
 * Provides the accelerator of a backend; returns how to take it back. A second one for the same backend takes the place of
 * the first until it is taken back.
 */
export function provideAccelerator(backend: string, accelerator: Accelerator): () => void {
  const { accelerators } = registry();
  const provided = { accelerator };
  accelerators.set(backend, [...(accelerators.get(backend) ?? []), provided]);
  return () => {
    const others = (accelerators.get(backend) ?? []).filter((each) => each !== provided);
    accelerators.set(backend, others);
  };
}

/** The accelerator of the active backend, if it has one. */
export function activeAccelerator(): Accelerator | undefined {
  return registry().accelerators.get(tf.getBackend())?.at(-1)?.accelerator;
}

const REGISTRY: unique symbol = Symbol.for('hookline.accelerators');

interface Registry {
  /** By backend; the last one is active. */
  readonly accelerators: Map<string, readonly { readonly accelerator: Accelerator }[]>;
}

// On the global object, like the registries of tfjs, so that a second copy of this package sees it too.
function registry(): Registry {
  const host = globalThis as { [REGISTRY]?: Registry };
  host[REGISTRY] ??= { accelerators: new Map() };
  return host[REGISTRY];
}

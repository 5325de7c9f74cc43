import type { Gradients, HostTensor, OptimizerView } from '@hookline/hook-api';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';

/** One weight of a model, by its stable path. */
export interface Parameter {
  readonly path: string;
  readonly variable: Variable;
  /** Maps a value to the nearest allowed one, after each update. */
  readonly constraint?: (value: Tensor) => Tensor;
}

/** What a training loop needs of an optimizer, one of this package or one of tfjs. */
export interface Optimizer {
  /** Its groups with their numbers. Write `lr` or `lrScale` to change the next step. */
  readonly view: OptimizerView;
  readonly parameters: readonly Parameter[];
  /** How many numbers it will remember, where that is known. */
  readonly stateSize?: number;
  /** Moves the parameters by one step. A parameter without a gradient stays. The gradients remain the caller's. */
  apply(gradients: Gradients): void;
  /** The state at the moment of the call; tfjs's own optimizers give that of a moment later. */
  saveState(): Promise<Record<string, HostTensor>>;
  /** Whether a saved tensor belongs to this optimizer. */
  fits(name: string, saved: HostTensor): boolean;
  loadState(tensors: Readonly<Record<string, HostTensor>>): void | Promise<void>;
  /** Keeps its state as it is now; absent where that cannot be done at once, as with the optimizers of tfjs. */
  hold?(): HeldOptimizer;
  /** Forgets its state and disposes its tensors. */
  dispose?(): void;
}

/** The state of an optimizer as it was. Costs no copy: clones share their data until one of them changes. */
export interface HeldOptimizer {
  /** What `saveState` would have given. */
  saveState(): Promise<Record<string, HostTensor>>;
  /** Returns the optimizer to that state. */
  putBack(): void;
  release(): void;
}

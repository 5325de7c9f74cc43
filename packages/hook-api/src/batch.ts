import type { Tensor } from '@tensorflow/tfjs-core';

/** One tensor, a list of them (several inputs or outputs), or tensors by name. */
export type TensorTree = Tensor | Tensor[] | Record<string, Tensor>;

/** A batch as it enters the model. Its tensors belong to the trainer: clone what you keep. */
export interface Batch {
  xs: TensorTree;
  ys?: TensorTree | undefined;
  /** One weight per sample, or per step [batch, time]: for every output, or one for each, like `ys`. */
  weights?: TensorTree | undefined;
}

import type { Tensor, Variable } from '@tensorflow/tfjs-core';

/** One weight of a model, by its stable path. */
export interface Parameter {
  readonly path: string;
  readonly variable: Variable;
  /** Maps a value to the nearest allowed one, after each update. */
  readonly constraint?: (value: Tensor) => Tensor;
}

import type { NonFiniteValues } from '../check/non-finite-values.js';

/** Where NaN or infinity was found, and what is known about where it came from. */
export interface Finding {
  readonly step: number;
  readonly epoch: number;
  readonly batchIndex: number;
  readonly loaderName: string;
  /** The loss when it is not finite. */
  readonly loss: number | undefined;
  /** Items of the batch that were bad before the model saw them. */
  readonly batch: readonly NonFiniteValues[];
  /** Weights that were bad before this batch. */
  readonly weights: readonly NonFiniteValues[];
  /** The first layer, in forward order, whose output is bad; undefined when none was, also when run again. */
  readonly layer: LayerOutput | undefined;
  /** Moving averages and the like that the forward pass made bad. */
  readonly buffers: readonly NonFiniteValues[];
  /** In the order of the model. */
  readonly gradients: readonly NonFiniteValues[];
  /** Why the layer could not be looked for. */
  readonly layerProblem: string | undefined;
}

export interface LayerOutput {
  readonly path: string;
  /** 0 for the first use of the layer in the pass, 1 for the second: shared layers, steps of an RNN. */
  readonly callIndex: number;
  /** Undefined when the batch, run again, did not show it. */
  readonly output: NonFiniteValues | undefined;
}

/**
 * The first parameter that went bad: a weight that was bad before the batch, or else the gradient that the backward
 * pass, which starts at the loss, reached first.
 */
export function firstParameter({ weights, gradients }: Finding): string | undefined {
  return weights[0]?.path ?? gradients.at(-1)?.path;
}

import type { HostTensor } from '@hookline/hook-api';
import type * as tf from '@tensorflow/tfjs-core';

/** Where and when something was seen. */
export interface Sighting {
  readonly path: string;
  /** 0 for the first use of the layer in the forward pass. */
  readonly callIndex: number;
  /** The same number for all that was seen in one forward pass. */
  readonly pass: number;
  readonly training: boolean;
  /** Optimizer steps completed; undefined outside of a trainer. */
  readonly step: number | undefined;
}

/** What is left of a tensor when only statistics are stored. */
export interface TensorSummary {
  readonly shape: readonly number[];
  readonly mean: number;
  readonly std: number;
  readonly norm: number;
  readonly min: number;
  readonly max: number;
  /** The part of the values that are 0. */
  readonly sparsity: number;
  /** How many values are NaN or infinite. */
  readonly nonFinite: number;
}

/** What a capture hook saw at one call of a layer: plain data, which can be cloned, saved and sent to a worker. */
export interface CapturedState extends Sighting {
  /** Of the hook. */
  readonly id: string;
  readonly layerIndex: number | undefined;
  /** Empty when the hook does not capture them, or stores statistics. */
  readonly inputs: readonly HostTensor[];
  readonly outputs: readonly HostTensor[];
  /** Where the hook stores statistics instead of tensors. */
  readonly statistics?: {
    readonly inputs: readonly TensorSummary[];
    readonly outputs: readonly TensorSummary[];
  };
  /** What the tensors take in memory. */
  readonly bytes: number;
}

/** The same with tensors, which belong to the manager: clone what you keep. */
export interface CapturedTensors extends Sighting {
  readonly id: string;
  readonly layerIndex: number | undefined;
  readonly inputs: readonly tf.Tensor[];
  readonly outputs: readonly tf.Tensor[];
}

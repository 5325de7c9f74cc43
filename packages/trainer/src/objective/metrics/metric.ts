import type * as tf from '@tensorflow/tfjs-core';

/**
 * A metric that is right over batches of unequal size: sums that are added up on the device, and how to read the
 * metric off them.
 */
export interface Metric {
  readonly name: string;
  /** Sums over the samples of a batch; any shape, the same for every batch. */
  update(targets: tf.Tensor, outputs: tf.Tensor): tf.Tensor;
  result(sums: readonly number[], samples: number): number;
}

export type MetricFunction = (targets: tf.Tensor, outputs: tf.Tensor) => tf.Tensor;

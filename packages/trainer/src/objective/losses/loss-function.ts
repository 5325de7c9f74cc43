import type * as tf from '@tensorflow/tfjs-core';

/** Losses whose first dimension is the batch: one for each sample, or several, of which the mean is taken. */
export type LossFunction = (targets: tf.Tensor, outputs: tf.Tensor) => tf.Tensor;

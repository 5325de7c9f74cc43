import type * as tf from '@tensorflow/tfjs-core';
import { CLASS_LOSSES, type ClassLossName } from './class-losses.js';
import { REGRESSION_LOSSES, type RegressionLossName } from './regression-losses.js';

/** Losses whose first dimension is the batch: one for each sample, or several, of which the mean is taken. */
export type LossFunction = (targets: tf.Tensor, outputs: tf.Tensor) => tf.Tensor;

export type LossName = RegressionLossName | ClassLossName;

/** Losses by name. */
export const LOSSES: Record<LossName, LossFunction> = { ...REGRESSION_LOSSES, ...CLASS_LOSSES };

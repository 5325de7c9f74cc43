import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import type { LossName } from './losses.js';
import { isSparse, oneHot } from './target-shapes.js';

export interface TargetSettings {
  /** A weight for each class by its number, for data in which some classes are rare; 1 for those left out. */
  classWeights?: Readonly<Record<number, number>>;
  /** Moves this share of each target to the other classes, against over-confidence. */
  labelSmoothing?: number;
}

/** Losses whose targets are classes, and the one that takes them as rows. */
const DENSE: Partial<Record<LossName, LossName>> = {
  binaryCrossentropy: 'binaryCrossentropy',
  sigmoidCrossentropy: 'sigmoidCrossentropy',
  categoricalCrossentropy: 'categoricalCrossentropy',
  sparseCategoricalCrossentropy: 'categoricalCrossentropy',
  softmaxCrossentropy: 'softmaxCrossentropy',
  sparseSoftmaxCrossentropy: 'softmaxCrossentropy',
};

/** The loss to use on smoothed rows; throws for a loss that has no classes. */
export function denseLoss(loss: unknown, setting: keyof TargetSettings): LossName {
  const dense = typeof loss === 'string' ? DENSE[loss as LossName] : undefined;
  if (dense) return dense;
  throw trainerError(
    'BAD_LOSS',
    `${setting} needs a loss between classes (${Object.keys(DENSE).join(', ')}), but the loss is ${typeof loss === 'string' ? `"${loss}"` : 'a function'}.`,
  );
}

/** Targets as rows, with a share of each moved to the other classes. */
export function smoothed(targets: tf.Tensor, outputs: tf.Tensor, share: number): tf.Tensor {
  const rows = isSparse(targets, outputs) ? oneHot(targets, outputs) : targets;
  const classes = outputs.shape.at(-1) === 1 ? 2 : outputs.shape.at(-1)!;
  return share === 0 ? rows : tf.add(tf.mul(rows, 1 - share), share / classes);
}

/** The weight of each sample by its class. */
export function weightsByClass(
  targets: tf.Tensor,
  outputs: tf.Tensor,
  weights: Readonly<Record<number, number>>,
): tf.Tensor {
  const binary = outputs.shape.at(-1) === 1;
  const table = Array.from({ length: binary ? 2 : outputs.shape.at(-1)! }, (_, index) => weights[index] ?? 1);
  if (binary) {
    const ones = tf.reshape(targets, [targets.shape[0]!]);
    return tf.add(tf.mul(ones, table[1]! - table[0]!), table[0]!);
  }
  const rows = isSparse(targets, outputs) ? oneHot(targets, outputs) : targets;
  return tf.sum(tf.mul(rows, tf.tensor1d(table)), -1);
}

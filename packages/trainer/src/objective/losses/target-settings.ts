import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';
import type { LossName } from './losses.js';
import { isSparse, oneHot } from './target-shapes.js';

/** The weight of each class by its number; 1 for those left out. */
export type ClassWeights = Readonly<Record<number, number>>;

/** Losses whose targets are classes, and the one that takes them as rows. */
const DENSE: Partial<Record<LossName, LossName>> = {
  binaryCrossentropy: 'binaryCrossentropy',
  sigmoidCrossentropy: 'sigmoidCrossentropy',
  categoricalCrossentropy: 'categoricalCrossentropy',
  sparseCategoricalCrossentropy: 'categoricalCrossentropy',
  softmaxCrossentropy: 'softmaxCrossentropy',
  sparseSoftmaxCrossentropy: 'softmaxCrossentropy',
};

/** The loss that takes rows where the one given takes class numbers; others are their own. */
export function denseLoss(loss: LossName): LossName {
  return DENSE[loss] ?? loss;
}

/** Throws for a loss that has no classes. */
export function requireClasses(loss: unknown, setting: 'classWeights' | 'labelSmoothing'): void {
  if (typeof loss === 'string' && Object.hasOwn(DENSE, loss)) return;
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

/** The weight of each sample by its class; where a sample has several targets, of each of them. */
export function weightsByClass(targets: tf.Tensor, outputs: tf.Tensor, weights: ClassWeights): tf.Tensor {
  const width = outputs.shape.at(-1)!;
  const classes = width === 1 ? 2 : width;
  const unknown = Object.keys(weights).find((key) => !(Number(key) >= 0 && Number(key) < classes));
  if (unknown !== undefined) {
    throw trainerError(
      'BAD_LOSS',
      `classWeights names class ${unknown}, but an output of shape [${outputs.shape}] has the classes 0 to ${classes - 1}.`,
    );
  }
  const table = Array.from({ length: classes }, (_, index) => weights[index] ?? 1);
  if (width === 1) return tf.add(tf.mul(targets, table[1]! - table[0]!), table[0]!);
  const rows = isSparse(targets, outputs) ? oneHot(targets, outputs) : targets;
  return tf.sum(tf.mul(rows, tf.tensor1d(table)), -1);
}

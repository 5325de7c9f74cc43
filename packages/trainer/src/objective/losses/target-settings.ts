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

/** Losses whose targets are class numbers, or a yes or no. */
const LABELLED: readonly unknown[] = [
  'sparseCategoricalCrossentropy',
  'sparseSoftmaxCrossentropy',
  'binaryCrossentropy',
  'sigmoidCrossentropy',
] satisfies LossName[];

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

/** Throws for a loss whose targets are not labels: then none of them can be the label to ignore. */
export function requireLabels(loss: unknown): void {
  if (LABELLED.includes(loss)) return;
  throw trainerError(
    'BAD_LOSS',
    `ignoreLabel needs a loss whose targets are labels (${LABELLED.join(', ')}), but the loss is ${typeof loss === 'string' ? `"${loss}"` : 'a function'}. Otherwise give weights of 0 where nothing should count.`,
  );
}

/** Targets as rows, with a share of each moved to the other classes; a yes or no has two. */
export function smoothed(targets: tf.Tensor, outputs: tf.Tensor, share: number, loss: LossName): tf.Tensor {
  const rows = isSparse(targets, outputs) ? oneHot(targets, outputs) : targets;
  const classes = isYesOrNo(loss) ? 2 : outputs.shape.at(-1)!;
  return share === 0 ? rows : tf.add(tf.mul(rows, 1 - share), share / classes);
}

/**
 * The weight of each sample or step by its class. Of several labels that are each a yes or no, the weight of each where it
 * is a yes.
 */
export function weightsByClass(
  targets: tf.Tensor,
  outputs: tf.Tensor,
  weights: ClassWeights,
  loss: LossName | undefined,
): tf.Tensor {
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
  if (isYesOrNo(loss)) return tf.add(tf.mul(targets, tf.sub(tf.tensor1d(table), 1)), 1);
  const rows = isSparse(targets, outputs) ? oneHot(targets, outputs) : targets;
  return tf.sum(tf.mul(rows, tf.tensor1d(table)), -1);
}

/** Whether each number of the outputs is a yes or no by itself. */
function isYesOrNo(loss: LossName | undefined): boolean {
  return loss === 'binaryCrossentropy' || loss === 'sigmoidCrossentropy';
}

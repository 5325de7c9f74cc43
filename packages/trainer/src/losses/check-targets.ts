import type { TensorTree } from '@hookline/hook-api';
import { hostValues } from '../data/host-values.js';
import { trainerError } from '../errors.js';
import type { BatchLoss } from './batch-loss.js';
import type { OutputLoss } from './output-losses.js';
import { outputsAndTargets } from './outputs-and-targets.js';

/** Losses whose targets are the numbers of classes. */
const BY_NUMBER: readonly unknown[] = ['sparseCategoricalCrossentropy', 'sparseSoftmaxCrossentropy'];

/** Losses whose targets are how much of each class there is, or whether there is any. */
const BY_SHARE: readonly unknown[] = [
  'binaryCrossentropy',
  'sigmoidCrossentropy',
  'categoricalCrossentropy',
  'softmaxCrossentropy',
];

/**
 * Throws where a target is none of its output's classes: a one-hot row of it would be all zeros, and the loss too
 * low without a word. Reads the targets.
 */
export function checkTargets(loss: BatchLoss, outputs: TensorTree, targets: TensorTree, where: string): void {
  const pairs = outputsAndTargets(outputs, targets);
  const losses = loss.forOutputs(pairs.map(({ name }) => name));
  for (const [index, { name, output, target }] of pairs.entries()) {
    const own = losses[index]!;
    const isNumbers = takesClassNumbers(own);
    // Targets of another size are told by their shape.
    if (!isNumbers && !(BY_SHARE.includes(own.option) && target.size === output.size)) continue;
    const values = hostValues(target) ?? target.dataSync<'float32'>();
    const classes = output.shape.at(-1)!;
    const bad = isNumbers ? firstOutside(values, classes) : firstNoShare(values);
    if (bad < 0) continue;
    const sample = Math.floor(bad / (values.length / target.shape[0]!));
    throw trainerError(
      'BAD_DATA',
      `${where} has the target ${values[bad]} for output "${name}" in sample ${sample}, ` +
        (isNumbers
          ? `expected ${classRange(classes)}: "${own.option}" takes class numbers, and the output has ${classes}. ${LABELS_FIX}`
          : `expected a number from 0 to 1: "${own.option}" takes one-hot rows or probabilities. Scale or encode the targets, or choose another loss.`),
    );
  }
}

/** Whether any of these losses has something to say about its targets. */
export function judgesTargets(losses: Iterable<unknown>): boolean {
  return [...losses].some((loss) => BY_NUMBER.includes(loss) || BY_SHARE.includes(loss));
}

export function takesClassNumbers({ option }: Pick<OutputLoss, 'option'>): boolean {
  return BY_NUMBER.includes(option);
}

/** The first value that is no class number; -1 when all are. */
export function firstOutside(values: ArrayLike<number>, classes: number): number {
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!;
    if (!(value >= 0 && value < classes && Number.isInteger(value))) return index;
  }
  return -1;
}

export function classRange(classes: number): string {
  return `a whole number from 0 to ${classes - 1}`;
}

export const LABELS_FIX: string =
  'Number the labels from 0, or give the last layer as many units as there are classes.';

function firstNoShare(values: ArrayLike<number>): number {
  for (let index = 0; index < values.length; index++) {
    if (!(values[index]! >= 0 && values[index]! <= 1)) return index;
  }
  return -1;
}

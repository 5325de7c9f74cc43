import { classRange, firstOutside, LABELS_FIX } from '@hookline/data';
import type { TensorTree } from '@hookline/hook-api';
import { hostValues } from '@hookline/numerics';
import { trainerError } from '../../errors.js';
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
 * Throws where a target is not one of its output's classes: its one-hot row would be all zeros, and the loss silently
 * too low. Reads the targets.
 */
export function checkTargets(
  loss: { forOutputs(names: readonly string[]): readonly OutputLoss[] },
  outputs: TensorTree,
  targets: TensorTree,
  where: string,
): void {
  const pairs = outputsAndTargets(outputs, { ys: targets });
  const losses = loss.forOutputs(pairs.map(({ name }) => name));
  for (const [index, { name, output, target }] of pairs.entries()) {
    const own = losses[index]!;
    const isNumbers = takesClassNumbers(own);
    // Targets of another size are reported by their shape.
    if (!isNumbers && !(BY_SHARE.includes(own.option) && target.size === output.size)) continue;
    const values = hostValues(target) ?? target.dataSync<'float32'>();
    const classes = output.shape.at(-1)!;
    const bad = isNumbers
      ? firstOutside(values, classes, own.ignoreLabel)
      : firstNoShare(values, own.ignoreLabel);
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

function firstNoShare(values: ArrayLike<number>, ignored: number | undefined): number {
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!;
    if (!(value >= 0 && value <= 1) && value !== ignored) return index;
  }
  return -1;
}

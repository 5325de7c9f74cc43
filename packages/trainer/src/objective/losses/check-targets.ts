import { classRange, firstOutside, LABELS_FIX } from '@hookline/data';
import type { TensorTree } from '@hookline/hook-api';
import { leaves, nearValues } from '@hookline/numerics';
import type { Tensor } from '@tensorflow/tfjs-core';
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
  'kullbackLeiblerDivergence',
  'categoricalHinge',
];

/** Losses whose targets are a sign. */
const BY_SIGN: readonly unknown[] = ['hinge', 'squaredHinge'];

/**
 * Throws where a target is not one that its loss can learn from: the one-hot row of a class that does not exist is all
 * zeros, and the hinge of a target 0 is 1 whatever the model says. Looks at targets in this process's memory, and at those
 * that `readTargets` has read.
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
    if (!isNumbers && !(judgesTargets([own.option]) && target.size === output.size)) continue;
    const values = nearValues(target) ?? fromDevice.get(target);
    if (!values) continue;
    const classes = output.shape.at(-1)!;
    const bad = isNumbers
      ? firstOutside(values, classes, own.ignoreLabel)
      : firstOther(values, BY_SIGN.includes(own.option) ? isSign : isShare, own.ignoreLabel);
    if (bad < 0) continue;
    const sample = Math.floor(bad / (values.length / target.shape[0]!));
    throw trainerError(
      'BAD_DATA',
      `${where} has the target ${values[bad]} for output "${name}" in sample ${sample}, expected ${expectedOf(own, classes)}`,
    );
  }
}

/**
 * Reads targets that are on a device, for `checkTargets`, which is called on the tape, where nothing can be awaited; and some
 * devices can be read only by waiting.
 */
export async function readTargets(targets: TensorTree): Promise<void> {
  const unknown = leaves(targets).filter((target) => !target.isDisposed && !nearValues(target));
  await Promise.all(unknown.map(async (target) => fromDevice.set(target, await target.data<'float32'>())));
}

const fromDevice = new WeakMap<Tensor, ArrayLike<number>>();

/** Whether any of these losses has something to say about its targets. */
export function judgesTargets(losses: Iterable<unknown>): boolean {
  return [...losses].some((loss) => [BY_NUMBER, BY_SHARE, BY_SIGN].some((those) => those.includes(loss)));
}

export function takesClassNumbers({ option }: Pick<OutputLoss, 'option'>): boolean {
  return BY_NUMBER.includes(option);
}

function expectedOf({ option }: OutputLoss, classes: number): string {
  if (BY_NUMBER.includes(option)) {
    return `${classRange(classes)}: "${option}" takes class numbers, and the output has ${classes}. ${LABELS_FIX}`;
  }
  if (BY_SIGN.includes(option)) {
    return `-1 or 1: "${option}" takes signs. Give 2 * y - 1 for targets that are 0 or 1, or choose another loss.`;
  }
  return `a number from 0 to 1: "${option}" takes one-hot rows or probabilities. Scale or encode the targets, or choose another loss.`;
}

function isShare(value: number): boolean {
  return value >= 0 && value <= 1;
}

function isSign(value: number): boolean {
  return value === 1 || value === -1;
}

function firstOther(
  values: ArrayLike<number>,
  isOne: (value: number) => boolean,
  ignored: number | undefined,
): number {
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!;
    if (!isOne(value) && value !== ignored) return index;
  }
  return -1;
}

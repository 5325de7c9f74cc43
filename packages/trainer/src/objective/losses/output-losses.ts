import type * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';
import { meantName } from '../other-names.js';
import type { LossFunction } from './loss-function.js';
import { LOSSES, type LossName } from './losses.js';
import { checkOutputNames, ofOutput, type PerOutput } from './per-output.js';
import { type ClassWeights, denseLoss, requireClasses, requireLabels, smoothed } from './target-settings.js';
import { oneHot } from './target-shapes.js';

type Loss = LossName | LossFunction;

/** One loss for every output, or one for each: in the outputs' order, or by their names. */
export type LossOption = PerOutput<Loss>;

export interface LossSettings {
  /** How much each output's loss counts, in the outputs' order or by their names; 1 for those left out. */
  lossWeights?: readonly number[] | Readonly<Record<string, number>>;
  /**
   * A weight for each class by its number, for data in which some classes are rare; 1 for those left out. With several
   * outputs by their names: `{ animal: { 3: 5 } }`.
   */
  classWeights?: ClassWeights | Readonly<Record<string, ClassWeights>>;
  /** Moves this share of each target to the other classes, against over-confidence; or by the outputs' names. */
  labelSmoothing?: number | Readonly<Record<string, number>>;
  /**
   * The label that stands for none, such as -100 for padding: what has it counts in no loss and no metric. For losses
   * whose targets are class numbers or yes and no; or by the outputs' names.
   */
  ignoreLabel?: number | Readonly<Record<string, number>>;
}

/** The loss of one output. */
export interface OutputLoss {
  name: string;
  /** What the loss takes for targets: rows for class numbers, and smoothed where that is asked for. */
  targetsFor: LossFunction;
  loss: LossFunction;
  /** Where the loss has a name, with class numbers or rows alike. */
  denseName: LossName | undefined;
  /** As the options have it. */
  option: Loss;
  weight: number;
  classWeights: ClassWeights | undefined;
  ignoreLabel: number | undefined;
}

/** What is wrong in the options alone shows before there is a model. */
export function checkLossOptions(option: LossOption, settings: LossSettings): void {
  const { lossWeights = {}, classWeights = {}, labelSmoothing = {}, ignoreLabel = {} } = settings;
  for (const loss of allOf(option)) {
    resolved(loss, {
      classWeights: isClassWeights(settings.classWeights) ? settings.classWeights : undefined,
      labelSmoothing: isNumber(settings.labelSmoothing) ? settings.labelSmoothing : undefined,
      ignoreLabel: isNumber(settings.ignoreLabel) ? settings.ignoreLabel : undefined,
    });
  }
  for (const weight of Object.values(lossWeights)) checkNumber('lossWeights', weight);
  for (const weight of Object.values(classWeights).flatMap((each) =>
    isNumber(each) ? each : Object.values(each),
  )) {
    checkNumber('classWeights', weight);
  }
  for (const share of isNumber(labelSmoothing) ? [labelSmoothing] : Object.values(labelSmoothing)) {
    checkNumber('labelSmoothing', share, 1);
  }
  for (const label of isNumber(ignoreLabel) ? [ignoreLabel] : Object.values(ignoreLabel)) {
    if (!Number.isInteger(label)) {
      throw trainerError(
        'BAD_OPTIONS',
        `new Trainer(): ignoreLabel holds ${String(label)}, expected a whole number such as -100.`,
      );
    }
  }
}

/** Every loss that the option names. */
export function allOf(option: LossOption): Loss[] {
  return isLoss(option) ? [option] : Object.values(option);
}

export function lossesFor(
  names: readonly string[],
  option: LossOption,
  { lossWeights, classWeights, labelSmoothing, ignoreLabel }: LossSettings,
): OutputLoss[] {
  checkOutputs('loss', option, names);
  checkOutputs('lossWeights', lossWeights, names);
  checkOutputs('labelSmoothing', labelSmoothing, names);
  checkOutputs('ignoreLabel', ignoreLabel, names);
  if (!isClassWeights(classWeights)) checkOutputs('classWeights', classWeights, names);
  const lossOf = ofOutput(option, isLoss);
  const weightOf = ofOutput(lossWeights, isNumber);
  const classWeightsOf = ofOutput(classWeights, isClassWeights);
  const smoothingOf = ofOutput(labelSmoothing, isNumber);
  const ignoredOf = ofOutput(ignoreLabel, isNumber);
  return names.map((name, index) => {
    const own = lossOf(name, index) ?? missing(name);
    const settings = {
      classWeights: classWeightsOf(name, index),
      labelSmoothing: smoothingOf(name, index),
      ignoreLabel: ignoredOf(name, index),
    };
    return {
      name,
      ...resolved(own, settings),
      option: own,
      weight: weightOf(name, index) ?? 1,
      classWeights: settings.classWeights,
      ignoreLabel: settings.ignoreLabel,
    };
  });
}

function missing(output: string): never {
  throw trainerError(
    'BAD_LOSS',
    `There is no loss for output "${output}". Give one loss for each output, or one for all.`,
  );
}

interface SettingsOfOutput {
  classWeights: ClassWeights | undefined;
  labelSmoothing: number | undefined;
  ignoreLabel: number | undefined;
}

function resolved(
  loss: Loss,
  { labelSmoothing, classWeights, ignoreLabel }: SettingsOfOutput,
): Pick<OutputLoss, 'targetsFor' | 'loss' | 'denseName'> {
  if (classWeights) requireClasses(loss, 'classWeights');
  if (labelSmoothing !== undefined) requireClasses(loss, 'labelSmoothing');
  if (ignoreLabel !== undefined) requireLabels(loss);
  if (typeof loss === 'function') return { targetsFor: asGiven, loss, denseName: undefined };
  if (!Object.hasOwn(LOSSES, loss)) throw unknownLoss(loss);
  const denseName = denseLoss(loss);
  const rows = denseName === loss ? asGiven : oneHot;
  const targetsFor: LossFunction =
    labelSmoothing === undefined
      ? rows
      : (targets, outputs) => smoothed(targets, outputs, labelSmoothing, denseName);
  return { targetsFor, loss: LOSSES[denseName], denseName };
}

function asGiven(targets: tf.Tensor): tf.Tensor {
  return targets;
}

function unknownLoss(loss: string): Error {
  const names = Object.keys(LOSSES);
  return trainerError(
    'BAD_LOSS',
    `There is no loss "${String(loss)}".${meantName(loss, names)} Known losses: ${names.join(', ')}; a function (targets, outputs) => losses per sample will do too.`,
  );
}

/** Names must be those of outputs, and a list not longer than the outputs are many. */
function checkOutputs(what: string, option: unknown, outputs: readonly string[]): void {
  if (typeof option !== 'object' || option === null) return;
  if (!Array.isArray(option)) {
    checkOutputNames(what, Object.keys(option), outputs, 'BAD_LOSS');
  } else if (option.length > outputs.length) {
    throw trainerError(
      'BAD_LOSS',
      `${what} has ${option.length} entries, but the model has ${outputs.length} outputs: ${outputs.join(', ')}. Give one for each.`,
    );
  }
}

function checkNumber(what: string, value: unknown, below = Infinity): void {
  if (isNumber(value) && value >= 0 && value < below) return;
  const range = below === Infinity ? 'a number of at least 0' : `a number from 0 to below ${below}`;
  throw trainerError('BAD_OPTIONS', `new Trainer(): ${what} holds ${String(value)}, expected ${range}.`);
}

function isLoss(option: unknown): option is Loss {
  return typeof option === 'string' || typeof option === 'function';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

/** By class, rather than by output. */
function isClassWeights(value: unknown): value is ClassWeights {
  return typeof value === 'object' && value !== null && Object.values(value).every(isNumber);
}

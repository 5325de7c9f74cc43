import type { Loader, SampleShapes } from '@hookline/data';
import { type Data, Feed, loadersOf, mixIn, splitData } from '@hookline/data';
import { deriveSeed } from '@hookline/numerics';
import { type Clip, type ClipOption, clipOf } from '@hookline/optimizers';
import { trainerError } from '../errors.js';
import { learningParameters } from '../model/learning-parameters.js';
import { takesClassNumbers } from '../objective/losses/check-targets.js';
import type { Objective } from '../objective/objective.js';
import type { ResumeSetting } from '../resume/settings.js';
import type { Prepared } from '../run/prepare.js';
import { type FitLimits, type LimitOptions, limitsOf } from './limits.js';

/** How a step is made; of the trainer, for all of its fits. */
export interface StepOptions {
  /** Batches in an optimizer step, 1 when absent; or by epoch: `{ 0: 1, 5: 4 }` takes 4 from epoch 5 on. */
  accumulate?: number | Readonly<Record<number, number>>;
  clip?: ClipOption;
  nonFiniteLoss?: 'warn' | 'skip' | 'throw';
}

export interface FitOptions extends LimitOptions {
  train: Data;
  validation?: Data;
  /** Holds back this share of the training data for validation, drawn by the run's seed; for tables and samples by number. */
  validationSplit?: number;
  epochs: number;
  /** For data given as `{ xs, ys }`; 32 when absent. */
  batchSize?: number;
  /** For training data given as `{ xs, ys }`; true when absent. */
  shuffle?: boolean;
  /** Continues from a checkpoint: the newest, the best, or this one. */
  resume?: 'auto' | 'best' | (string & {});
  /** `false`: a checkpoint that does not fit is loaded as far as it does, and what does not is listed. */
  strictResume?: boolean;
  /** Settings that may differ from the checkpoint's: those given now are used. `true`: all of them. */
  override?: true | readonly ResumeSetting[];
}

/** What the loop is to do. */
export interface FitPlan {
  readonly epochs: number;
  readonly train: Feed;
  readonly validation: readonly Loader[];
  readonly objective: Objective;
  readonly limits: FitLimits;
  /** Batches in an optimizer step, by epoch. */
  accumulate(epoch: number): number;
  readonly clip: Clip | undefined;
  readonly nonFiniteLoss: 'warn' | 'skip' | 'throw';
  /** Reads every batch's numbers, whoever is due. */
  readonly readAlways: boolean;
}

/** What the loop is to do, worked out from the options of the trainer and of the fit. */
export function fitPlan(
  prepared: Prepared,
  trainer: StepOptions,
  options: FitOptions,
  seed: number,
): FitPlan {
  if (learningParameters(prepared.trainable, prepared.optimizers).length === 0) {
    throw trainerError(
      'BAD_MODEL',
      'The model has no trainable parameter: set trainable = true on the layers that should learn, and leave at least one group of the optimizer unfrozen.',
    );
  }
  const { batchSize, shuffle = true, fastDevRun = false, overfitBatches } = options;
  const { accumulate = 1, clip, nonFiniteLoss = 'warn' } = trainer;
  if (prepared.trainable.trainingStep && accumulate !== 1) {
    throw trainerError(
      'BAD_OPTIONS',
      'accumulate has no effect on a module with its own trainingStep(), which makes its updates itself. Leave it out, and average the losses of several batches there.',
    );
  }
  const overfits = overfitBatches !== undefined;
  const data = dataOf(options, seed);
  const held = overfits ? data.train : data.validation;
  if (held !== undefined) requireLoss(prepared, 'validation');
  const order = shuffle ? seed : undefined;
  const ofTraining = loaders(prepared, data.train, 'train', batchSize, order, overfits);
  const train = new Feed(ofTraining, { mix: mixIn(data.train), seed });
  const validation =
    held === undefined ? [] : loaders(prepared, held, 'validation', batchSize, undefined, overfits);
  prepared.schedule?.checkValidation(held !== undefined, validationMetrics(prepared, validation));
  return {
    epochs: fastDevRun ? 1 : options.epochs,
    train,
    validation,
    objective: prepared.objective,
    limits: limitsOf(options, train, new Feed(validation)),
    accumulate: (epoch) => accumulateAt(accumulate, epoch),
    clip: clip && clipOf(clip),
    nonFiniteLoss,
    readAlways: false,
  };
}

/** A separate stream again: what is held back depends neither on the model nor on the order of the samples. */
function dataOf(
  { train, validation, validationSplit }: FitOptions,
  seed: number,
): { train: Data; validation: Data | undefined } {
  if (validationSplit === undefined) return { train, validation };
  return splitData(train, validationSplit, { seed: deriveSeed(seed, 2) });
}

/** Who trains with a step of their own can do without a loss; nobody can validate without one. */
export function requireLoss({ trainable, objective }: Prepared, what: string): void {
  if (trainable.loss || objective.loss) return;
  throw trainerError(
    'BAD_LOSS',
    `${what} needs a loss, but the module has only a trainingStep(). Give the module a loss(outputs, batch), or the trainer one, such as 'meanSquaredError'.`,
  );
}

/** Where the data can tell. */
export function batchesPerEpoch({ train, limits }: FitPlan): number | undefined {
  return train.batches === undefined ? undefined : Math.min(train.batches, limits.trainBatches);
}

/** The loaders of `data`, shuffled where there is a seed to shuffle by, and never when all is to come `inOrder`. */
export function loaders(
  { trainable, objective, checkData, world }: Prepared,
  data: Data,
  name: string,
  batchSize = 32,
  seed?: number,
  inOrder = false,
): Loader[] {
  return loadersOf(data, name, {
    batchSize,
    shuffle: seed !== undefined,
    inOrder,
    // A separate stream, so that the order of the data does not depend on the model.
    seed: deriveSeed(seed ?? 0, 1),
    // Whoever predicts on odd inputs wants to see the outputs.
    checkData: checkData && name !== 'predict',
    shapes: trainable.shapes && withClasses(trainable.shapes, objective),
    // Predictions are for whoever asked, who wants all of them.
    share: world && name !== 'predict' ? { rank: world.rank, world: world.size } : undefined,
  });
}

/** The names of what validation will give; undefined where the model shows its outputs only as it runs. */
function validationMetrics(
  { trainable, objective }: Prepared,
  validation: readonly Loader[],
): string[] | undefined {
  if (!trainable.shapes) return undefined;
  const series = ['loss', ...objective.metricNames];
  const parts = validation.length > 1 ? validation.map(({ name }) => `val/${name}`) : [];
  return ['val', ...parts].flatMap((part) => series.map((name) => `${part}/${name}`));
}

/** Tells how many classes there are, where the loss takes their numbers. */
function withClasses({ inputs, outputs }: SampleShapes, { loss }: Objective): SampleShapes {
  const losses = loss?.forOutputs(outputs.map(({ name }) => name));
  return {
    inputs,
    outputs: outputs.map((output, index) => {
      const classes = output.shape.at(-1);
      const own = losses?.[index];
      if (!classes || !own || !takesClassNumbers(own)) return output;
      return { ...output, classes, ...(own.ignoreLabel !== undefined && { ignoreLabel: own.ignoreLabel }) };
    }),
  };
}

/** A schedule holds from each epoch that it names until the next. */
function accumulateAt(schedule: number | Readonly<Record<number, number>>, epoch: number): number {
  if (typeof schedule === 'number') return schedule;
  const begun = Object.keys(schedule)
    .map(Number)
    .filter((start) => start <= epoch);
  return begun.length === 0 ? 1 : schedule[Math.max(...begun)]!;
}

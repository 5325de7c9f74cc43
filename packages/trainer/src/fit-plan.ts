import { mixIn } from './data/combine.js';
import { Feed } from './data/feed.js';
import type { Loader } from './data/loader.js';
import { type Data, loadersOf } from './data/sources.js';
import { trainerError } from './errors.js';
import type { FitPlan } from './fit.js';
import { limitsOf } from './fit-limits.js';
import { clipOf } from './optimizers/clip.js';
import { learningParameters } from './optimizers/learning-parameters.js';
import type { Prepared } from './prepare.js';
import { deriveSeed } from './random.js';
import type { FitOptions, TrainerOptions } from './trainer-options.js';

/** What the loop is to do, worked out from the options of the trainer and of the fit. */
export function fitPlan(
  prepared: Prepared,
  trainer: TrainerOptions,
  options: FitOptions,
  seed: number,
): FitPlan {
  if (learningParameters(prepared.trainable, prepared.optimizers).length === 0) {
    throw trainerError(
      'BAD_MODEL',
      'The model has no trainable parameter: set trainable = true on the layers that should learn, and leave a group of the optimizer that is not frozen.',
    );
  }
  const { batchSize, shuffle = true, fastDevRun = false, overfitBatches } = options;
  const { accumulate = 1, clip, nonFiniteLoss = 'warn' } = trainer;
  const overfits = overfitBatches !== undefined;
  const held = overfits ? options.train : options.validation;
  prepared.schedule?.checkValidation(held !== undefined);
  const order = shuffle ? seed : undefined;
  const ofTraining = loaders(prepared, options.train, 'train', batchSize, order, overfits);
  const train = new Feed(ofTraining, { mix: mixIn(options.train), seed });
  const validation =
    held === undefined ? [] : loaders(prepared, held, 'validation', batchSize, undefined, overfits);
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

/** The loaders of `data`, shuffled where there is a seed to shuffle by, and never when all is to come `inOrder`. */
export function loaders(
  { trainable }: Prepared,
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
    // A stream of its own, so that the order of the data does not depend on the model.
    seed: deriveSeed(seed ?? 0, 1),
    shapes: trainable.shapes,
  });
}

/** A schedule holds from each epoch that it names until the next. */
function accumulateAt(schedule: number | Readonly<Record<number, number>>, epoch: number): number {
  if (typeof schedule === 'number') return schedule;
  const begun = Object.keys(schedule)
    .map(Number)
    .filter((start) => start <= epoch);
  return begun.length === 0 ? 1 : schedule[Math.max(...begun)]!;
}

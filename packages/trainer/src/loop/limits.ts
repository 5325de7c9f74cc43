import type { Feed } from '@hookline/data';
import { trainerError } from '../errors.js';

/** How long a fit runs and how much of the data it uses; everything when absent. */
export interface LimitOptions {
  /** Ends the run after this many optimizer steps. */
  maxSteps?: number;
  /** Ends the run after the batch in which this many seconds are full. */
  maxSeconds?: number;
  /** Batches of an epoch that are trained on: a count, or below 1 a share. */
  limitTrainBatches?: number;
  /** Batches of the validation data that are used: a count, or below 1 a share. */
  limitValBatches?: number;
  /** Trains and validates on the same few batches, not shuffled: a model that works learns them by heart. */
  overfitBatches?: number;
  /** Validation batches that are tried before training, so that a mistake there shows at once. */
  sanityBatches?: number;
  /** Every so many epochs (1 when absent), or every so many steps. */
  validateEvery?: { epochs: number } | { steps: number };
  /** One batch of everything, and no hook that writes: does it run at all? */
  fastDevRun?: boolean;
}

/** The same, worked out for the loop. */
export interface FitLimits {
  steps: number;
  seconds: number;
  trainBatches: number;
  valBatches: number;
  sanityBatches: number;
  validatesAfter(epoch: number): boolean;
  validatesAt(step: number): boolean;
}

export function limitsOf(
  options: LimitOptions,
  train: Pick<Feed, 'batches'>,
  validation: Pick<Feed, 'batches'>,
): FitLimits {
  const { maxSteps = Infinity, maxSeconds = Infinity, sanityBatches = 0 } = options;
  const few = options.fastDevRun ? 1 : options.overfitBatches;
  const { epochs = 0, steps = 0 } = (options.validateEvery ?? { epochs: 1 }) as {
    epochs?: number;
    steps?: number;
  };
  return {
    steps: maxSteps,
    seconds: maxSeconds,
    trainBatches: batchesOf('limitTrainBatches', few ?? options.limitTrainBatches, train),
    valBatches: batchesOf('limitValBatches', few ?? options.limitValBatches, validation),
    sanityBatches,
    validatesAfter: (epoch) => epochs > 0 && (epoch + 1) % epochs === 0,
    validatesAt: (step) => steps > 0 && step % steps === 0,
  };
}

function batchesOf(
  name: string,
  limit: number | undefined,
  { batches: total }: Pick<Feed, 'batches'>,
): number {
  if (limit === undefined) return Infinity;
  if (limit >= 1) return Math.floor(limit);
  if (total === undefined) {
    throw trainerError(
      'BAD_OPTIONS',
      `${name} is the share ${limit}, but the data cannot tell how many batches it has. Give a count.`,
    );
  }
  return Math.max(1, Math.floor(limit * total));
}

import type { Data } from '@hookline/data';
import { HookManager, is } from '@hookline/hook-api';
import { belowOne, checkOptions, type ForeignNames, positive } from '@hookline/hook-api/helpers';
import { createLogger } from '#host';
import { trainerError } from '../errors.js';
import { fitPlan, type StepOptions } from '../loop/plan.js';
import type { Prepared } from '../run/prepare.js';
import { Run } from '../run/run.js';
import { runStage } from '../run/run-stage.js';
import { plotLosses } from './plot-losses.js';
import { suggestRates } from './suggest-rates.js';
import { sweep } from './sweep.js';

export interface LrFindOptions {
  train: Data;
  /** The first learning rate, 1e-7 when absent. */
  from?: number;
  /** The last one, 10 when absent; a loss that explodes ends the sweep before. */
  to?: number;
  /** Optimizer steps from the first to the last, 100 when absent. */
  steps?: number;
  /** For data given as `{ xs, ys }`; 32 when absent. */
  batchSize?: number;
  /** How much of the running mean of losses is kept at each step, 0.8 when absent. */
  smoothing?: number;
  /** Ends the sweep when the smoothed loss is this many times its lowest, 4 when absent. */
  divergence?: number;
}

export interface LrFindResult {
  /** Of the first group of the first optimizer; other groups kept their relation to it. */
  lrs: number[];
  /** The smoothed loss at each of them, without what is due to some batches being harder than others. */
  losses: number[];
  /** What to try: the same as `valley`. Undefined when the loss never fell. */
  suggestion: number | undefined;
  /** Halfway, in powers of ten, through the part where the loss falls. */
  valley: number | undefined;
  /** Where the loss falls fastest. */
  steepest: number | undefined;
  /** Whether the loss exploded before the last learning rate. */
  diverged: boolean;
  /** The losses over the learning rates, as text. */
  plot: string;
}

const RULES = {
  train: () => undefined, // the plan of the fit reports what is wrong with data
  from: positive,
  to: positive,
  steps: is.integer({ min: 1 }),
  batchSize: is.integer({ min: 1 }),
  smoothing: belowOne,
  divergence: positive,
};

/** What people write who know the finders of Lightning and fastai. */
const FOREIGN: ForeignNames = {
  minLr: 'Did you mean "from"?',
  startLr: 'Did you mean "from"?',
  maxLr: 'Did you mean "to"?',
  endLr: 'Did you mean "to"?',
  numTraining: 'Did you mean "steps"?',
  numIt: 'Did you mean "steps"?',
  epochs: 'The sweep takes steps: lrFind({ train, steps: 100 }).',
  earlyStopThreshold: 'Did you mean "divergence"?',
};

/**
 * Trains with a learning rate that grows from step to step, and looks at the loss. No hook is called, and
 * everything is as before in the end: weights, optimizers and random state.
 */
export async function lrFind(
  prepared: Prepared,
  trainer: StepOptions,
  options: LrFindOptions,
  seed: number,
): Promise<LrFindResult> {
  checkOptions(options, RULES, 'lrFind()', FOREIGN);
  const { train, from = 1e-7, to = 10, steps = 100, batchSize, smoothing = 0.8, divergence = 4 } = options;
  if (from >= to || steps < 2) {
    throw trainerError(
      'BAD_OPTIONS',
      `lrFind() from ${from} to ${to} in ${steps} steps: the learning rate must rise. Give from < to, and at least 2 steps.`,
    );
  }
  if (prepared.trainable.trainingStep) {
    throw trainerError(
      'BAD_MODEL',
      'lrFind() watches one loss and one update, but the module has its own trainingStep(). Try learning rates with short fits.',
    );
  }
  const fit = { train, epochs: 1, ...(batchSize !== undefined && { batchSize }) };
  // The sweep is its own schedule.
  // Each rank does it alone, with the same result.
  const alone = { ...prepared, schedule: undefined, world: undefined };
  const plan = fitPlan(alone, trainer, fit, seed);
  const run = new Run({
    ...alone,
    stage: 'fit',
    hooks: new HookManager(),
    logger: createLogger({ level: 'silent' }), // a loss that explodes is what we are here for
    info: { id: 'lr-find', dir: undefined, runsDir: '', configHash: '', experiment: '', gitCommit: '', seed },
  });
  const lrAt = (step: number) => from * (to / from) ** (step / (steps - 1));
  const points = await runStage(run, () =>
    sweep(run, { ...plan, nonFiniteLoss: 'warn', readAlways: true }, { steps, lrAt, smoothing, divergence }),
  );
  const lrs = points.map((_, step) => lrAt(step));
  const { valley, steepest } = suggestRates(lrs, points);
  return {
    lrs,
    losses: points,
    suggestion: valley,
    valley,
    steepest,
    diverged: points.length < steps,
    plot: plotLosses(lrs, points, valley),
  };
}

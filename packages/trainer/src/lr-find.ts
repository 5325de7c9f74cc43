import { HookManager, is, type OptimizerGroupView } from '@hookline/hook-api';
import { batchesOf, type LoadedBatch } from './data/batches.js';
import type { Data } from './data/sources.js';
import { trainerError } from './errors.js';
import { disposeLoop, type FitPlan, startLoop, trainBatch } from './fit.js';
import { fitPlan } from './fit-plan.js';
import { createLogger } from './logger.js';
import { plotLosses } from './lr-find-plot.js';
import { suggestRates } from './lr-find-suggestion.js';
import { belowOne, checkOptions, positive } from './option-rules.js';
import type { Prepared } from './prepare.js';
import { Run } from './run.js';
import { runStage } from './run-stage.js';
import { restoreSnapshot, takeSnapshot } from './snapshot.js';
import type { TrainerOptions } from './trainer-options.js';

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
  /** How much of the running mean of losses is kept at each step, 0.9 when absent. */
  smoothing?: number;
  /** Ends the sweep when the smoothed loss is this many times its lowest, 4 when absent. */
  divergence?: number;
}

export interface LrFindResult {
  /** Of the first group of the first optimizer; other groups kept their relation to it. */
  lrs: number[];
  /** The smoothed loss at each of them. */
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

const COUNT = is.integer({ min: 1 });

/**
 * Trains with a learning rate that grows from step to step, and looks at the loss. No hook is called, and
 * everything is as before in the end: weights, optimizers and random state.
 */
export async function lrFind(
  prepared: Prepared,
  trainer: TrainerOptions,
  options: LrFindOptions,
  seed: number,
): Promise<LrFindResult> {
  const { train, from = 1e-7, to = 10, steps = 100, batchSize, smoothing = 0.9, divergence = 4 } = options;
  const rules = { from: positive, to: positive, steps: COUNT, batchSize: COUNT, divergence: positive };
  checkOptions(options, { ...rules, smoothing: belowOne, train: () => undefined }, 'lrFind()');
  if (from >= to || steps < 2) {
    throw trainerError(
      'BAD_OPTIONS',
      `lrFind() from ${from} to ${to} in ${steps} steps: there is no way up.`,
    );
  }
  const fit = { train, epochs: 1, ...(batchSize !== undefined && { batchSize }) };
  // The sweep is its own schedule.
  const plan = fitPlan({ ...prepared, schedule: undefined }, trainer, fit, seed);
  const run = new Run({
    ...prepared,
    schedule: undefined,
    stage: 'fit',
    hooks: new HookManager(),
    logger: createLogger({ level: 'silent' }), // a loss that explodes is what we are here for
    info: { id: 'lr-find', dir: '', configHash: '', gitCommit: '', seed },
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

interface Sweep {
  steps: number;
  lrAt(step: number): number;
  smoothing: number;
  divergence: number;
}

/** The smoothed loss of each step, up to where it explodes. */
async function sweep(
  run: Run,
  plan: FitPlan,
  { steps, lrAt, smoothing, divergence }: Sweep,
): Promise<number[]> {
  const before = await takeSnapshot(run);
  const setRate = rateSetter(run.state.optimizers.flatMap(({ groups }) => groups));
  const loop = startLoop(plan);
  const smoothed: number[] = [];
  let [mean, lowest] = [0, Infinity];
  let batchLosses: number[] = [];
  try {
    for await (const item of endlessly(plan)) {
      setRate(lrAt(smoothed.length));
      const numbers = await trainBatch(run, plan, loop, item);
      batchLosses.push(numbers?.loss ?? Number.NaN);
      if (loop.stepBegun) continue; // more batches to come for this step
      const loss = batchLosses.reduce((sum, each) => sum + each, 0) / batchLosses.length;
      batchLosses = [];
      mean = smoothing * mean + (1 - smoothing) * loss;
      // Without the correction the first means would be drawn towards 0.
      const point = mean / (1 - smoothing ** (smoothed.length + 1));
      lowest = Math.min(lowest, point);
      if (!(point <= divergence * lowest)) break; // NaN is not below anything
      smoothed.push(point);
      if (smoothed.length === steps) break;
    }
    return smoothed;
  } finally {
    disposeLoop(loop);
    await restoreSnapshot(run, before);
  }
}

/** Epoch after epoch: a sweep may be longer than the data. */
async function* endlessly({ train }: FitPlan): AsyncGenerator<LoadedBatch, void> {
  for (let epoch = 0; ; epoch++) {
    let isEmpty = true;
    for await (const item of batchesOf(train, epoch)) {
      isEmpty = false;
      yield item;
    }
    if (isEmpty) throw trainerError('BAD_DATA', `lrFind() found no batch in epoch ${epoch} of the data.`);
  }
}

/** Sets the rate of the first group that has one, and keeps the relation of all others to it. */
function rateSetter(groups: readonly OptimizerGroupView[]): (lr: number) => void {
  const rates = groups.map(({ lr }) => lr);
  const first = rates.find((lr) => lr > 0);
  if (first === undefined) {
    throw trainerError('BAD_OPTIONS', 'lrFind() scales learning rates, but all of them are 0. Set an lr.');
  }
  return (lr) => {
    for (const [index, group] of groups.entries()) {
      Object.assign(group, { lr: (rates[index]! * lr) / first, lrScale: 1 });
    }
  };
}

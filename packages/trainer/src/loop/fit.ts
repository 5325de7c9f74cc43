import type { Feed, LoadedBatch, Loader } from '@hookline/data';
import type { Metrics } from '@hookline/hook-api';
import { readNumbers } from '@hookline/numerics';
import type { Clip } from '@hookline/optimizers';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import { learningParameters } from '../model/learning-parameters.js';
import type { BatchSums } from '../objective/metrics/batch-sums.js';
import type { MetricTotals } from '../objective/metrics/metric-totals.js';
import { Progress } from '../resume/progress.js';
import type { Position } from '../resume/resume-point.js';
import { betterOf } from '../run/fit-result.js';
import type { Run } from '../run/run.js';
import { breather } from './breathe.js';
import { checkBatch } from './check-batch.js';
import { evaluate } from './evaluate.js';
import { eventOf, forwardBackward, type Objective } from './forward-backward.js';
import type { FitLimits } from './limits.js';
import { update } from './optimizer-step.js';
import { sanityCheck } from './sanity-check.js';
import { disposeBatch, transformBatch } from './transform-batch.js';

export interface FitPlan {
  epochs: number;
  train: Feed;
  validation: readonly Loader[];
  objective: Objective;
  limits: FitLimits;
  /** Batches in an optimizer step, by epoch. */
  accumulate(epoch: number): number;
  clip: Clip | undefined;
  nonFiniteLoss: 'warn' | 'skip' | 'throw';
  /** Reads every batch's numbers, whoever is due. */
  readAlways: boolean;
}

/** The training loop. Returns the metrics of each epoch. */
export async function fit(run: Run, plan: FitPlan): Promise<Metrics[]> {
  const { state } = run;
  const progress = new Progress(plan.objective);
  const history: Metrics[] = [];
  const breathe = breather();
  state.status = 'training';
  run.point.begin(progress, plan.train);
  await sanityCheck(run, plan.validation, plan.objective, plan.limits.sanityBatches);
  await run.fire('onTrainStart', () => ({ epochs: plan.epochs, batchesPerEpoch: batchesPerEpoch(plan) }));
  finishAtMaxSteps(run, plan);
  if (run.point.position.next === 'epochLog') {
    state.epoch = Math.max(0, state.completedEpochs - 1);
    await endEpoch(run);
  }
  // What a run resumed from its very last step has left to do is to tell how its cut epoch went.
  let isCut = run.stopped && run.point.position.batchesDone > 0;
  while (state.completedEpochs < plan.epochs && (!run.stopped || isCut)) {
    isCut = false;
    history.push(await trainEpoch(run, plan, progress, breathe));
  }
  state.status = run.stopped ? 'stopped' : 'completed';
  await endTraining(run);
  return history;
}

/** One epoch, or what is left of it in a run that is resumed. */
async function trainEpoch(
  run: Run,
  plan: FitPlan,
  progress: Progress,
  breathe: () => Promise<void> | undefined,
): Promise<Metrics> {
  const { state, point } = run;
  const { position } = point;
  const epoch = state.completedEpochs;
  // In an epoch that is taken up again, the last batch that is done.
  Object.assign(state, { epoch, batchIndex: Math.max(0, position.batchesDone - 1) });
  run.parts.schedule?.apply(state);
  await run.fire('onEpochStart', () => ({ epoch }));
  run.trained = learningParameters(run.parts.trainable, run.parts.optimizers);
  progress.accumulate = plan.accumulate(epoch);
  // Each of these moves the position on, unless the run is stopped in the middle.
  if (position.next === 'boundary' || position.next === 'validation') await stepBoundary(run, plan, progress);
  if (position.next === 'batch') await trainBatches(run, plan, progress, breathe);
  if (position.next === 'epochValidation') await validateEpoch(run, plan, progress);

  const isWhole = position.next === 'epochEnd';
  if (!isWhole) await run.traces.freeze();
  const training = isWhole ? progress.training : await readEpoch(run, progress);
  const metrics = { ...training, ...progress.validation };
  if (isWhole) {
    run.best = betterOf(run.best, metrics, epoch);
    state.completedEpochs++;
    run.parts.schedule?.observe('epoch', run.metrics);
    progress.clearEpoch();
    point.settle({ batchesDone: 0, next: 'epochLog' });
    plan.train.commitEpoch();
  }
  await run.fire('onEpochEnd', () => ({ epoch, metrics }));
  await endEpoch(run);
  return metrics;
}

/** Tells what was logged for the epoch, and does what hooks asked for. */
async function endEpoch(run: Run): Promise<void> {
  const { position } = run.point;
  await run.flushLog('epoch');
  if (position.next === 'epochLog') position.next = 'batch';
  await run.serveCheckpoint();
}

/** All batches of the epoch, or those that are left. */
async function trainBatches(
  run: Run,
  plan: FitPlan,
  progress: Progress,
  breathe: () => Promise<void> | undefined,
): Promise<void> {
  const { limits } = plan;
  const { position } = run.point;
  // Data that cannot tell its place gives those again that a resumed run has seen.
  const seen = position.batchesDone;
  for await (const item of plan.train.epoch(run.state.epoch)) {
    const { batchIndex } = item;
    if (run.stopped || batchIndex < seen || batchIndex >= limits.trainBatches) disposeBatch(item);
    else await trainBatch(run, plan, progress, item);
    if (run.durationMs >= limits.seconds * 1000) run.stop(`maxSeconds: ${limits.seconds} are full`);
    if (run.stopped || batchIndex + 1 >= limits.trainBatches) break;
    await breathe();
  }
  const isThrough = !run.stopped || position.batchesDone === batchesPerEpoch(plan);
  if (run.isBrokenOff || !isThrough) return;
  await flushStep(run, plan, progress);
  progress.training = await readEpoch(run, progress);
  run.point.settle({ next: 'epochValidation' });
}

/** The epoch's running means are read here, once. */
async function readEpoch(run: Run, { epochTotals }: Progress): Promise<Metrics> {
  const metrics = await epochTotals.read();
  run.noteLoss(metrics['train/loss'] ?? 0);
  Object.assign(run.metrics, metrics);
  return metrics;
}

/** The last event of a fit; what hooks ask for in it is done. */
export async function endTraining(run: Run): Promise<void> {
  const { status } = run.state;
  const { position } = run.point;
  if (position.next === 'batch' && position.batchesDone === 0) position.next = 'epochLog';
  await run.fire('onTrainEnd', () => ({ status, stopReason: run.stopReason, metrics: run.metrics }));
  await endEpoch(run);
}

/** One batch, and the optimizer step when it is full. Returns the batch's numbers when `readAlways` is on. */
export async function trainBatch(
  run: Run,
  plan: FitPlan,
  progress: Progress,
  loaded: LoadedBatch,
): Promise<LossAndMetrics | undefined> {
  const { point } = run;
  let item = loaded;
  let sums: BatchSums | undefined;
  let gradients: Record<string, tf.Tensor> = {};
  const batchesDone = item.batchIndex + 1;
  point.hold();
  try {
    run.enterBatch(item.batchIndex);
    if (!progress.stepBegun) {
      progress.stepBegun = true;
      run.parts.schedule?.apply(run.state);
      await run.fire('onStepStart', () => ({ step: run.state.step }));
    }
    await run.fire('onTrainBatchStart', () => eventOf(item));
    if (run.takeWish('skipBatch')) {
      point.settle({ batchesDone, stepBegun: true });
      await skipBatch(run, item);
      return undefined;
    }
    item = await transformBatch(run, item);
    checkBatch(item, run.parts.trainable.shapes);

    // One synchronous section on the tape, which calls onForward, transformActivation and onBeforeBackward.
    const result = forwardBackward(run, plan.objective, item);
    ({ sums, gradients } = result);
    await run.fire('onAfterBackward', () => ({ ...eventOf(item), gradients: result.gradients }));
    if (plan.nonFiniteLoss !== 'warn' && !(await isFiniteLoss(sums.loss))) {
      point.putBack();
      await refuseBatch(run, plan, item);
      return undefined;
    }

    // The device is read when the first due hook needs a number, and only then.
    const read = once(async () => run.noteBatch(await progress.epochTotals.readBatch(result.sums)));
    const isLast = progress.gradients.batches + 1 >= progress.accumulate;
    gradients = {}; // they are taken over
    if (isLast) {
      const numbers = progress.accumulate > 1 ? undefined : read;
      await optimizerStep(run, plan, progress, batchesDone, result, numbers);
    } else {
      progress.gradients.add(result.gradients);
      progress.add(result.sums);
      point.settle({ batchesDone, stepBegun: true });
    }
    await run.fire('onTrainBatchEnd', async () => ({ ...eventOf(item), skipped: false, ...(await read()) }));
    if (isLast) await stepBoundary(run, plan, progress);
    return plan.readAlways ? await read() : undefined;
  } finally {
    disposeBatch(item);
    tf.dispose(Object.values(gradients));
    if (sums) tf.dispose([sums.loss, ...sums.sums]);
  }
}

/** The end of an epoch flushes a partial accumulation. */
export async function flushStep(run: Run, plan: FitPlan, progress: Progress): Promise<void> {
  if (progress.gradients.batches === 0) return;
  await optimizerStep(run, plan, progress, run.point.position.batchesDone);
  await stepBoundary(run, plan, progress);
}

/** Transforms, clips and applies the accumulated gradients, with those of the last batch. */
async function optimizerStep(
  run: Run,
  plan: FitPlan,
  progress: Progress,
  batchesDone: number,
  last?: { gradients: Record<string, tf.Tensor>; sums: BatchSums },
  read?: () => Promise<LossAndMetrics>,
): Promise<void> {
  const step = run.state.step + 1;
  await update(run, progress.gradients.mean(last?.gradients), plan.clip, () => {
    run.average?.update();
    progress.gradients.clear();
    if (last) progress.add(last.sums);
    progress.stepBegun = false;
    run.point.settle({ step, batchesDone, stepBegun: false, next: 'boundary' });
  });
  run.state.step = step;
  finishAtMaxSteps(run, plan);
  await run.fire('onStepEnd', async () => {
    const { loss, metrics } = read ? await read() : await readStep(progress.stepTotals);
    return { step, loss, metrics };
  });
  if (!read) progress.stepTotals.dispose();
}

/** What is due after a step, and what hooks asked for during it. */
async function stepBoundary(run: Run, plan: FitPlan, progress: Progress): Promise<void> {
  const { point } = run;
  if (point.position.next === 'boundary') {
    await run.flushLog('step');
    const isDue = run.takeWish('validation') || plan.limits.validatesAt(run.state.step);
    point.position.next = isDue ? 'validation' : 'batch';
  }
  if (point.position.next === 'validation' && !run.isBrokenOff) {
    await validateModel(run, plan, progress, 'batch');
  }
  await run.serveCheckpoint();
}

async function validateEpoch(run: Run, plan: FitPlan, progress: Progress): Promise<void> {
  if (run.isBrokenOff) return;
  if (plan.limits.validatesAfter(run.state.epoch)) await validateModel(run, plan, progress, 'epochEnd');
  else run.point.settle({ next: 'epochEnd' });
}

/** Validates, with the averaged weights where there are any. Stopped in the middle, it has not been. */
async function validateModel(
  run: Run,
  plan: FitPlan,
  progress: Progress,
  next: Position['next'],
): Promise<void> {
  const { point } = run;
  if (plan.validation.length === 0) return point.settle({ next });
  point.hold();
  run.average?.swapIn();
  try {
    await evaluate(run, 'val', { ...plan, batches: plan.limits.valBatches }, (metrics) => {
      progress.validation = metrics;
      run.parts.schedule?.observe('validation', metrics);
      point.settle({ next });
    });
  } finally {
    run.average?.swapOut();
  }
}

function finishAtMaxSteps(run: Run, { limits }: FitPlan): void {
  if (run.state.step >= limits.steps) run.finish(`maxSteps: ${limits.steps} are done`);
}

function batchesPerEpoch({ train, limits }: FitPlan): number | undefined {
  return train.batches === undefined ? undefined : Math.min(train.batches, limits.trainBatches);
}

/** A skipped batch has its end event too, and does not count toward accumulation. */
async function skipBatch(run: Run, item: LoadedBatch): Promise<void> {
  await run.fire('onTrainBatchEnd', () => ({
    ...eventOf(item),
    skipped: true,
    loss: undefined,
    metrics: {},
  }));
}

async function refuseBatch(run: Run, { nonFiniteLoss }: FitPlan, item: LoadedBatch): Promise<void> {
  const where = `epoch ${run.state.epoch}, batch ${item.batchIndex} of loader "${item.loaderName}"`;
  if (nonFiniteLoss === 'throw') {
    throw trainerError(
      'NON_FINITE_LOSS',
      `The loss is not a finite number at ${where}; the weights are as they were before it. Look for NaN in the data, lower the learning rate, or clip the gradients.`,
    );
  }
  run.parts.logger.warn(
    { epoch: run.state.epoch, batch: item.batchIndex },
    `Skipped a batch with a non-finite loss: ${where}.`,
  );
  run.point.settle({ batchesDone: item.batchIndex + 1, stepBegun: true });
  await skipBatch(run, item);
}

export interface LossAndMetrics {
  loss: number;
  metrics: Metrics;
}

async function readStep(totals: MetricTotals): Promise<LossAndMetrics> {
  const metrics = await totals.read();
  return { loss: metrics['train/loss']!, metrics };
}

async function isFiniteLoss(loss: tf.Scalar): Promise<boolean> {
  const [[value]] = (await readNumbers([loss])) as [[number]];
  return Number.isFinite(value);
}

function once<Value>(compute: () => Value): () => Value {
  let known: { value: Value } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

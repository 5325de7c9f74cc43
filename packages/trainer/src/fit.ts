import type { Metrics } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { disposeBatch, transformBatch } from './batch-transform.js';
import { breather } from './breathe.js';
import { checkBatch } from './check-batch.js';
import type { LoadedBatch } from './data/batches.js';
import type { Feed } from './data/feed.js';
import type { Loader } from './data/loader.js';
import { trainerError } from './errors.js';
import { evaluate } from './evaluate.js';
import type { FitLimits } from './fit-limits.js';
import { eventOf, forwardBackward, type Objective } from './forward-backward.js';
import { GradientSum } from './gradient-sum.js';
import { holdBuffers } from './hold-buffers.js';
import { type BatchSums, MetricTotals } from './metrics/metric-totals.js';
import type { Clip } from './optimizers/clip.js';
import { learningParameters } from './optimizers/learning-parameters.js';
import type { Run } from './run.js';
import { sanityCheck } from './sanity-check.js';
import { readNumbers } from './tensors.js';
import { update } from './update.js';

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
  const { limits } = plan;
  const loop = startLoop(plan);
  const history: Metrics[] = [];
  const breathe = breather();
  state.status = 'training';
  run.useData(plan.train);
  try {
    await sanityCheck(run, plan.validation, plan.objective, limits.sanityBatches);
    await run.fire('onTrainStart', () => ({ epochs: plan.epochs, batchesPerEpoch: batchesPerEpoch(plan) }));
    for (let epoch = state.epoch; epoch < plan.epochs && !run.stopped; epoch++) {
      Object.assign(state, { epoch, batchIndex: run.batchesDone });
      run.parts.schedule?.apply(state);
      await run.fire('onEpochStart', () => ({ epoch }));
      run.trained = learningParameters(run.parts.trainable, run.parts.optimizers);
      // A resumed run has seen the first batches of its first epoch.
      const seen = run.batchesDone;
      Object.assign(loop, { accumulate: plan.accumulate(epoch), validation: {} });
      for await (const item of plan.train.epoch(epoch)) {
        const { batchIndex } = item;
        if (run.stopped || batchIndex < seen || batchIndex >= limits.trainBatches) disposeBatch(item);
        else await trainBatch(run, plan, loop, item);
        if (run.durationMs >= limits.seconds * 1000) run.stop(`maxSeconds: ${limits.seconds} are full`);
        if (run.stopped || batchIndex + 1 >= limits.trainBatches) break;
        await breathe();
      }
      const whole = !run.stopped;
      await flushStep(run, plan, loop);

      const validate = whole && limits.validatesAfter(epoch);
      // The epoch's running means are read here, once.
      const trainMetrics = await loop.epochTotals.read();
      loop.epochTotals.dispose();
      run.noteLoss(trainMetrics['train/loss'] ?? 0);
      Object.assign(run.metrics, trainMetrics);
      if (validate) await validateModel(run, plan, loop);
      const epochMetrics = { ...trainMetrics, ...loop.validation };
      history.push(epochMetrics);
      if (whole) {
        state.completedEpochs++;
        run.batchesDone = 0;
        plan.train.commitEpoch();
        run.parts.schedule?.observe('epoch', run.metrics);
      }
      await run.fire('onEpochEnd', () => ({ epoch, metrics: epochMetrics }));
      await run.flushLog('epoch');
      await run.serveCheckpoint();
    }
    state.status = run.stopped ? 'stopped' : 'completed';
    await endTraining(run);
    return history;
  } finally {
    disposeLoop(loop);
  }
}

/** The last event of a fit; what hooks ask for in it is done. */
export async function endTraining(run: Run): Promise<void> {
  const { status } = run.state;
  await run.fire('onTrainEnd', () => ({ status, stopReason: run.stopReason, metrics: run.metrics }));
  await run.flushLog('epoch');
  await run.serveCheckpoint();
}

/** What accumulates over batches. */
export interface Loop {
  /** Batches in an optimizer step, in this epoch. */
  accumulate: number;
  /** What validation last found, in this epoch. */
  validation: Metrics;
  /** `onStepStart` has been fired for the step that is next. */
  stepBegun: boolean;
  gradients: GradientSum;
  epochTotals: MetricTotals;
  stepTotals: MetricTotals;
}

export function startLoop({ objective: { metrics }, accumulate }: FitPlan): Loop {
  return {
    accumulate: accumulate(0),
    validation: {},
    stepBegun: false,
    gradients: new GradientSum(),
    epochTotals: new MetricTotals(metrics, 'train'),
    stepTotals: new MetricTotals(metrics, 'train'),
  };
}

export function disposeLoop({ gradients, epochTotals, stepTotals }: Loop): void {
  gradients.dispose();
  epochTotals.dispose();
  stepTotals.dispose();
}

/** One batch, and the optimizer step when it is full. Returns the batch's numbers when `readAlways` is on. */
export async function trainBatch(
  run: Run,
  plan: FitPlan,
  loop: Loop,
  loaded: LoadedBatch,
): Promise<LossAndMetrics | undefined> {
  let item = loaded;
  let sums: BatchSums | undefined;
  let gradients: Record<string, tf.Tensor> = {};
  const buffers = plan.nonFiniteLoss === 'warn' ? undefined : holdBuffers(run);
  try {
    run.enterBatch(item.batchIndex);
    if (!loop.stepBegun) {
      loop.stepBegun = true;
      run.parts.schedule?.apply(run.state);
      await run.fire('onStepStart', () => ({ step: run.state.step }));
    }
    await run.fire('onTrainBatchStart', () => eventOf(item));
    if (run.takeWish('skipBatch')) {
      await skipBatch(run, item);
      return undefined;
    }
    item = await transformBatch(run, item);
    checkBatch(item, run.parts.trainable.shapes);

    // One synchronous section on the tape, which calls onForward, transformActivation and onBeforeBackward.
    const result = forwardBackward(run, plan.objective, item);
    ({ sums, gradients } = result);
    await run.fire('onAfterBackward', () => ({ ...eventOf(item), gradients: result.gradients }));
    if (buffers && !(await isFiniteLoss(sums.loss))) {
      buffers.putBack();
      await refuseBatch(run, plan, item);
      return undefined;
    }
    loop.gradients.add(gradients);
    gradients = {}; // the sum has them now
    loop.epochTotals.add(sums);
    if (loop.accumulate > 1) loop.stepTotals.add(sums);

    // The device is read when the first due hook needs a number, and only then.
    const read = once(async () => run.noteBatch(await loop.epochTotals.readBatch(result.sums)));
    const boundary = loop.gradients.batches === loop.accumulate;
    if (boundary) await optimizerStep(run, plan, loop, loop.accumulate > 1 ? undefined : read);
    await run.fire('onTrainBatchEnd', async () => ({ ...eventOf(item), skipped: false, ...(await read()) }));
    if (boundary) await stepBoundary(run, plan, loop);
    return plan.readAlways ? await read() : undefined;
  } finally {
    disposeBatch(item);
    buffers?.release();
    tf.dispose(Object.values(gradients));
    if (sums) tf.dispose([sums.loss, ...sums.sums]);
  }
}

/** The end of an epoch flushes a partial accumulation. */
export async function flushStep(run: Run, plan: FitPlan, loop: Loop): Promise<void> {
  if (loop.gradients.batches === 0) return;
  await optimizerStep(run, plan, loop);
  await stepBoundary(run, plan, loop);
}

/** Transforms, clips and applies the accumulated gradients. */
async function optimizerStep(
  run: Run,
  plan: FitPlan,
  loop: Loop,
  read?: () => Promise<LossAndMetrics>,
): Promise<void> {
  await update(run, loop.gradients.take(), plan.clip);
  run.average?.update();
  run.state.step++;
  if (run.state.step >= plan.limits.steps) run.stop(`maxSteps: ${plan.limits.steps} are done`);
  run.batchesDone = run.state.batchIndex + 1;
  plan.train.commit();
  loop.stepBegun = false;
  await run.fire('onStepEnd', async () => {
    const { loss, metrics } = read ? await read() : await readStep(loop.stepTotals);
    return { step: run.state.step, loss, metrics };
  });
  loop.stepTotals.dispose();
}

/** What is due after a step, and what hooks asked for during it. */
async function stepBoundary(run: Run, plan: FitPlan, loop: Loop): Promise<void> {
  await run.flushLog('step');
  const wished = run.takeWish('validation');
  if (wished || plan.limits.validatesAt(run.state.step)) await validateModel(run, plan, loop);
  await run.serveCheckpoint();
}

/** Validates, with the averaged weights where there are any. */
async function validateModel(run: Run, plan: FitPlan, loop: Loop): Promise<void> {
  if (plan.validation.length === 0) return;
  const putBack = run.average?.swapIn();
  try {
    loop.validation = await evaluate(run, 'val', { ...plan, batches: plan.limits.valBatches });
    run.parts.schedule?.observe('validation', loop.validation);
  } finally {
    putBack?.();
  }
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

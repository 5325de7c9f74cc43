import type { LoadedBatch } from '@hookline/data';
import type { Metrics, TensorTree } from '@hookline/hook-api';
import { placeText } from '@hookline/hook-api/helpers';
import { readNumbers } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { checkDevice } from '../backends/device-watch.js';
import { trainerError } from '../errors.js';
import { type BatchSums, disposeSums } from '../objective/metrics/batch-sums.js';
import { STOP_REASONS } from '../resume/stop-reasons.js';
import type { Run } from '../run/run.js';
import { checkBatch } from './check-batch.js';
import { type BatchResult, eventOf, forwardBackward, readForCheck } from './forward-backward.js';
import { loadRanks } from './load-ranks.js';
import { applyStep, prepareStep, reportStep } from './optimizer-step.js';
import type { FitPlan } from './plan.js';
import { disposeBatch, transformBatch } from './transform-batch.js';
import { validateModel } from './validate.js';

export interface LossAndMetrics {
  loss: number;
  metrics: Metrics;
}

/** One batch, and the optimizer step when it is full. Returns the batch's numbers when `readAlways` is on. */
export async function trainBatch(
  run: Run,
  plan: FitPlan,
  loaded: LoadedBatch,
): Promise<LossAndMetrics | undefined> {
  const { cursor } = run;
  const { progress } = cursor;
  let item = loaded;
  let result: BatchResult | undefined;
  run.phase('other');
  cursor.hold();
  try {
    run.enterBatch(item.batchIndex);
    if (cursor.beginStep()) {
      run.enterStep();
      run.parts.schedule?.apply(run.state);
      await run.fire('onStepStart', () => ({ step: run.state.step }));
    }
    await run.fire('onTrainBatchStart', () => eventOf(item));
    const ranks = run.world && (await loadRanks());
    if (ranks ? await ranks.isLeftOut(run, run.world!, item) : run.wishes.take('skipBatch')) {
      await skipBatch(run, item);
      return undefined;
    }
    run.phase('transform');
    item = await transformBatch(run, item);
    await run.fire('onTrainBatchReady', () => eventOf(item));
    checkBatch(item, run.parts.trainable.shapes);
    const reading = readForCheck(run, plan.objective, item);
    if (reading) await reading;

    const { trainingStep } = run.parts.trainable;
    const completesStep = progress.gradients.batches + 1 >= progress.accumulate;
    const keepsOutputs = run.needsOutputs('onTrainBatchEnd', completesStep ? 1 : 0);
    // One synchronous section on the tape: onForward, transformActivation, transformLoss and onBeforeBackward.
    // A module with its own step does the same once for each of its updates, and moves the weights as well.
    result = trainingStep
      ? await (await import('./own-step.js')).ownStep(run, plan, item)
      : forwardBackward(run, plan.objective, item, keepsOutputs);
    // Reports of the device come late: what it says here is about this batch or one before it.
    checkDevice();
    if (ranks && result && !trainingStep) {
      run.phase('other');
      const own = result;
      result = undefined;
      result = await ranks.joinRanks(run, run.world!, item, own);
      if (!result) {
        // A hook of another rank left the batch out, before it drew any random number.
        cursor.undo();
        run.parts.random.load(cursor.random);
        await skipBatch(run, item);
        return undefined;
      }
    }
    if (result && !trainingStep) await reportBackward(run, item, result);
    if (!result || (plan.nonFiniteLoss !== 'warn' && !(await isFiniteLoss(run, result.sums.loss)))) {
      cursor.undo();
      refuseBatch(run, plan, item);
      await skipBatch(run, item);
      return undefined;
    }

    return await closeBatch(run, plan, item, result, completesStep);
  } finally {
    run.phase('metrics');
    if (result) disposeResult(result);
    run.phase('data');
    disposeBatch(item);
  }
}

/** What follows from a batch: the step when it is full, else the sum of gradients, and the end event. */
async function closeBatch(
  run: Run,
  plan: FitPlan,
  item: LoadedBatch,
  result: BatchResult,
  completesStep: boolean,
): Promise<LossAndMetrics | undefined> {
  const { cursor } = run;
  const { progress } = cursor;
  const { sums, outputs } = result;
  const batchesDone = item.batchIndex + 1;
  // The device is read when the first due hook needs a number, and only then.
  const read = once(async () => run.noteBatch(await progress.epochTotals.readBatch(sums)));
  if (run.parts.trainable.trainingStep) await closeOwnStep(run, plan, batchesDone, sums, read);
  else if (completesStep) await takeStep(run, plan, batchesDone, result, read);
  else
    cursor.commit({ batchesDone, stepBegun: true }, () => {
      progress.gradients.add(handOver(result), sums.count);
      progress.add(sums);
    });
  await run.fire('onTrainBatchEnd', async () => {
    const { loss, metrics } = await read();
    return { ...eventOf(item), skipped: false, loss, metrics, outputs };
  });
  if (completesStep) await stepBoundary(run, plan);
  return plan.readAlways ? await read() : undefined;
}

/** One optimizer step over the accumulated gradients and those of the last batch. */
export async function takeStep(
  run: Run,
  plan: FitPlan,
  batchesDone: number,
  last?: BatchResult,
  readLast?: () => Promise<LossAndMetrics>,
): Promise<void> {
  const { cursor } = run;
  const { progress } = cursor;
  const step = run.state.step + 1;
  run.phase('update');
  const gradients = progress.gradients.mean(last && { gradients: handOver(last), count: last.sums.count });
  const prepared = await prepareStep(run, plan.clip, gradients);
  try {
    cursor.commit({ step, batchesDone, stepBegun: false, next: 'boundary' }, () => {
      applyStep(prepared);
      run.average?.update();
      progress.gradients.clear();
      if (last) progress.add(last.sums);
    });
    await reportStep(run, prepared);
  } finally {
    prepared.dispose();
    run.phase('other');
  }
  const isOneBatch = readLast !== undefined && progress.accumulate === 1;
  await endStep(run, plan, step, isOneBatch ? readLast : () => readStep(run));
  if (!isOneBatch) progress.stepTotals.dispose();
}

/** The updates of a module's own step are made; together they are one step, which counts from here on. */
async function closeOwnStep(
  run: Run,
  plan: FitPlan,
  batchesDone: number,
  sums: BatchSums,
  read: () => Promise<LossAndMetrics>,
): Promise<void> {
  const step = run.state.step + 1;
  run.cursor.commit({ step, batchesDone, stepBegun: false, next: 'boundary' }, () => {
    run.average?.update();
    run.cursor.progress.add(sums);
  });
  await endStep(run, plan, step, read);
}

async function endStep(
  run: Run,
  plan: FitPlan,
  step: number,
  read: () => Promise<LossAndMetrics>,
): Promise<void> {
  run.state.step = step;
  finishAtMaxSteps(run, plan);
  await run.fire('onStepEnd', async () => {
    const { loss, metrics } = await read();
    return { step, loss, metrics };
  });
}

/** What is due after a step, and what hooks asked for during it. */
export async function stepBoundary(run: Run, plan: FitPlan): Promise<void> {
  const { cursor } = run;
  if (cursor.isAt('boundary')) {
    await run.flushLog('step');
    await run.agree();
    const validates = run.wishes.take('validation') || plan.limits.validatesAt(run.state.step);
    cursor.commit({ next: validates ? 'validation' : 'batch' });
  }
  if (cursor.isAt('validation') && !run.ending.isBrokenOff) {
    await validateModel(run, plan, 'batch');
    await run.agree();
  }
  await run.serveCheckpoint();
}

export function finishAtMaxSteps(run: Run, { limits }: FitPlan): void {
  if (run.state.step >= limits.steps) run.ending.finish(STOP_REASONS.maxSteps(limits.steps));
}

function reportBackward(run: Run, item: LoadedBatch, { gradients }: BatchResult): void | Promise<void> {
  return run.fire('onAfterBackward', () => ({ ...eventOf(item), gradients }));
}

/** A skipped batch has its end event too, and does not count toward accumulation. */
async function skipBatch(run: Run, item: LoadedBatch): Promise<void> {
  run.cursor.commit({ batchesDone: item.batchIndex + 1, stepBegun: true });
  await run.fire('onTrainBatchEnd', () => ({
    ...eventOf(item),
    skipped: true,
    loss: undefined,
    metrics: {},
  }));
}

function refuseBatch(run: Run, { nonFiniteLoss }: FitPlan, { batchIndex, loaderName }: LoadedBatch): void {
  const where = `${placeText(run.state.epoch, batchIndex)} of loader "${loaderName}"`;
  if (nonFiniteLoss === 'throw') {
    throw trainerError(
      'NON_FINITE_LOSS',
      `The loss is not a finite number at ${where}; the weights are as they were before it. Look for NaN in the data, lower the learning rate, or clip the gradients.`,
    );
  }
  run.logger.warn(`Skipped a batch with a non-finite loss: ${where}.`);
}

/** The gradients belong to the caller from now on. */
function handOver(result: BatchResult): Record<string, tf.Tensor> {
  const { gradients } = result;
  result.gradients = {};
  return gradients;
}

function disposeResult({ sums, gradients, outputs }: BatchResult): void {
  disposeSums(sums);
  for (const gradient of Object.values(gradients)) gradient.dispose();
  if (outputs !== undefined) tf.dispose(outputs as TensorTree & tf.TensorContainer);
}

async function readStep({ cursor }: Run): Promise<LossAndMetrics> {
  const metrics = await cursor.progress.stepTotals.read();
  return { loss: metrics['train/loss']!, metrics };
}

async function isFiniteLoss(run: Run, loss: tf.Scalar): Promise<boolean> {
  run.phase('read');
  const [[value]] = (await readNumbers([loss])) as [[number]];
  run.phase('other');
  return Number.isFinite(value);
}

function once<Value>(compute: () => Value): () => Value {
  let known: { value: Value } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

import type { Metrics } from '@hookline/hook-api';
import { learningParameters } from '../model/learning-parameters.js';
import { STOP_REASONS } from '../resume/stop-reasons.js';
import type { Run } from '../run/run.js';
import { type Breathe, breather } from './breathe.js';
import { closeEpoch, readEpoch, reportEpoch } from './epoch-end.js';
import { batchesPerEpoch, type FitPlan } from './plan.js';
import { sanityCheck } from './sanity-check.js';
import { finishAtMaxSteps, stepBoundary, takeStep, trainBatch } from './train-batch.js';
import { disposeBatch } from './transform-batch.js';
import { validateEpoch } from './validate.js';

/**
 * The training loop: what happens, in order. Where it is, and what an earlier run has done already, the cursor knows:
 * `cursor.at` passes over the parts that are behind it.
 */
export async function fit(run: Run, plan: FitPlan): Promise<readonly Metrics[]> {
  const { state, cursor, history } = run;
  const breathe = breather();
  state.status = 'training';
  cursor.begin(plan.objective, plan.train);
  await sanityCheck(run, plan.validation, plan.objective, plan.limits.sanityBatches);
  await run.fire('onTrainStart', () => ({ epochs: plan.epochs, batchesPerEpoch: batchesPerEpoch(plan) }));
  await run.agree();
  finishAtMaxSteps(run, plan);
  await cursor.at('epochLog', () => reportLastEpoch(run));
  // What a run resumed from its very last step has left to do is to report its unfinished epoch.
  let isUnreported = run.ending.stopped && cursor.place.batchesDone > 0;
  while (state.completedEpochs < plan.epochs && (!run.ending.stopped || isUnreported)) {
    isUnreported = false;
    history.push(await trainEpoch(run, plan, breathe));
  }
  await endTraining(run);
  return history;
}

/** One epoch, or what is left of it in a run that is resumed. */
async function trainEpoch(run: Run, plan: FitPlan, breathe: Breathe): Promise<Metrics> {
  const { state, cursor } = run;
  const epoch = state.completedEpochs;
  // In an epoch that is continued, the last batch that is done.
  Object.assign(state, { epoch, batchIndex: Math.max(0, cursor.place.batchesDone - 1) });
  run.parts.schedule?.apply(state);
  await run.fire('onEpochStart', () => ({ epoch }));
  run.trained = learningParameters(run.parts.trainable, run.parts.optimizers);
  cursor.progress.accumulate = plan.accumulate(epoch);

  await cursor.at(['boundary', 'validation'], () => stepBoundary(run, plan));
  await cursor.at('batch', () => trainBatches(run, plan, breathe));
  await cursor.at('epochValidation', () => validateEpoch(run, plan));
  const metrics = await closeEpoch(run, epoch);
  await run.fire('onEpochEnd', () => ({ epoch, metrics: { ...metrics } }));
  await reportEpoch(run);
  return metrics;
}

/** All batches of the epoch, or those that are left. */
async function trainBatches(run: Run, plan: FitPlan, breathe: Breathe): Promise<void> {
  const { cursor } = run;
  const { trainBatches: most, seconds } = plan.limits;
  // Data that cannot jump to its place gives the batches again that a resumed run has seen.
  const seen = cursor.place.batchesDone;
  run.phase('data');
  for await (const item of plan.train.epoch(run.state.epoch)) {
    const { batchIndex } = item;
    if (run.ending.stopped || batchIndex < seen || batchIndex >= most) disposeBatch(item);
    else await trainBatch(run, plan, item);
    if (run.durationMs >= seconds * 1000) run.ending.stop(STOP_REASONS.maxSeconds(seconds));
    if (run.ending.stopped || batchIndex + 1 >= most) break;
    const pause = breathe();
    if (pause) {
      run.phase('event-loop');
      await pause;
    }
    run.phase('data');
  }
  run.phase('other');
  const isThrough = !run.ending.stopped || cursor.place.batchesDone === batchesPerEpoch(plan);
  if (run.ending.isBrokenOff || !isThrough) return;
  await flushStep(run, plan);
  cursor.progress.training = await readEpoch(run);
  cursor.commit({ next: 'epochValidation' });
}

/** The end of an epoch flushes a partial accumulation. */
export async function flushStep(run: Run, plan: FitPlan): Promise<void> {
  if (run.cursor.progress.gradients.batches === 0) return;
  await takeStep(run, plan, run.cursor.place.batchesDone);
  await stepBoundary(run, plan);
}

/** The run that this one continues ended before it had reported its last epoch. */
async function reportLastEpoch(run: Run): Promise<void> {
  run.state.epoch = Math.max(0, run.state.completedEpochs - 1);
  await reportEpoch(run);
}

/** The last event of a fit; what hooks log and ask for in it is done. */
export async function endTraining(run: Run): Promise<void> {
  const { state, cursor } = run;
  const status = run.ending.stopped ? 'stopped' : 'completed';
  state.status = status;
  if (cursor.isAt('batch') && cursor.place.batchesDone === 0) cursor.commit({ next: 'epochLog' });
  await run.fire('onTrainEnd', () => ({
    status,
    stopReason: run.ending.stopReason,
    metrics: { ...run.metrics },
  }));
  await reportEpoch(run);
}

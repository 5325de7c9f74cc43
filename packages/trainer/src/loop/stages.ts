import type { Data, Loader } from '@hookline/data';
import type { CheckpointRef, Metrics, TensorTree } from '@hookline/hook-api';
import { WeightAverage } from '@hookline/optimizers';
import { stoppedError } from '../errors.js';
import type { FoundSnapshot } from '../resume/find-snapshot.js';
import type { Counters } from '../resume/snapshot.js';
import type { Prepared } from '../run/prepare.js';
import type { RunData } from '../run/record/run-record-file.js';
import type { Run } from '../run/run.js';
import { withCheckpoint } from '../run/with-checkpoint.js';
import { evaluate } from './evaluate.js';
import { fit } from './fit.js';
import { loadRanks } from './load-ranks.js';
import { type FitOptions, type FitPlan, fitPlan, loaders, requireLoss } from './plan.js';
import { settingsOf, type TrainingOptions } from './settings.js';

export interface EvaluateOptions {
  data: Data;
  batchSize?: number;
  /** Uses the weights of a checkpoint, which must fit the model; afterwards the model has its own weights again. */
  checkpoint?: 'best' | 'last' | (string & {});
}

/** A fit, from what the user asks for: what it resumes, the plan, the loop, and the weights that the model has in the end. */
export async function fitStage(
  run: Run,
  prepared: Prepared,
  trainer: TrainingOptions,
  options: FitOptions,
): Promise<void> {
  const { ema } = trainer;
  run.average = ema && new WeightAverage(() => prepared.trainable.trained(), ema.decay);
  const resumed = await findStart(run, options);
  // The order of the samples continues, too.
  const plan = fitPlan(prepared, trainer, options, seedOf(resumed, trainer, options) ?? run.info.seed);
  run.parts.note?.({ data: runDataOf(plan), ...(resumed && { resumed: startOf(resumed) }) });
  run.settings = settingsOf(trainer, options, prepared, plan.validation);
  const given = { settings: run.settings, data: plan.train };
  if (resumed) await (await loadResuming()).resumeRun(run, options.resume!, resumed, given, options);
  run.firstStep = run.state.step;
  if (run.world) await (await loadRanks()).startAlike(run, run.world, plan);
  await run.fire('onInit', () => ({ stage: 'fit' }));
  await fit(run, plan);
  if (ema?.keep) run.average?.settle();
}

/** Loss and metrics over all of the data, or an error: those of a part would look like those of all of it. */
export async function evaluateStage(
  run: Run,
  prepared: Prepared,
  { data, batchSize, checkpoint }: EvaluateOptions,
): Promise<Metrics> {
  const stage = run.state.stage === 'test' ? 'test' : 'validate';
  requireLoss(prepared, `${stage}()`);
  const validation = loaders(prepared, data, stage, batchSize);
  const metrics = await withCheckpoint(run, checkpoint, async () => {
    await run.fire('onInit', () => ({ stage }));
    return evaluate(run, stage === 'test' ? 'test' : 'val', { validation, objective: prepared.objective });
  });
  if (metrics) return metrics;
  throw stoppedError(`${stage}()`, run.ending.stopReason, 'It returns metrics of all of the data or none.');
}

/** The outputs for all of the data; they belong to the caller. */
export async function predictStage(
  run: Run,
  prepared: Prepared,
  { data, batchSize, checkpoint }: EvaluateOptions,
): Promise<TensorTree> {
  // A page that trains does not load what it needs later.
  const { predict } = await import('./predict.js');
  const loaded = loaders(prepared, data, 'predict', batchSize);
  return withCheckpoint(run, checkpoint, async () => {
    await run.fire('onInit', () => ({ stage: 'predict' }));
    return predict(run, loaded);
  });
}

/** Loaded for runs that continue another one: most pages do not. */
function loadResuming(): Promise<typeof import('../resume/resume-run.js')> {
  return import('../resume/resume-run.js');
}

function runDataOf({ train, validation }: FitPlan): RunData {
  const factsOf = (all: readonly Loader[]) =>
    Object.fromEntries(all.map(({ name, order = {} }) => [name, order]));
  return { train: factsOf(train.loaders), validation: factsOf(validation) };
}

/** The checkpoint that the fit continues; undefined when it starts from scratch. */
async function findStart(run: Run, options: FitOptions): Promise<FoundSnapshot | undefined> {
  const { resume, fastDevRun } = options;
  if (resume === undefined) return undefined;
  if (!fastDevRun) return (await loadResuming()).findResumed(run, resume, options);
  run.logger.info('fastDevRun starts from scratch: nothing is resumed, and nothing is saved.');
  return undefined;
}

function startOf({ checkpoint, snapshot }: FoundSnapshot): CheckpointRef & { step: number } {
  const { step } = snapshot.state!.counters as unknown as Counters;
  return { ...checkpoint, step };
}

/** The seed that goes on is that of the checkpoint, unless another one is given and meant. */
function seedOf(
  resumed: FoundSnapshot | undefined,
  { seed }: { seed?: number },
  { override = [] }: FitOptions,
): number | undefined {
  const isMeant = override === true || override.includes('seed');
  const saved = resumed?.snapshot.state?.seed;
  return isMeant ? (seed ?? saved) : saved;
}

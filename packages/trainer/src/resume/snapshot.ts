import type { JsonValue, OptimizerGroupView, Snapshot, SnapshotOptions } from '@hookline/hook-api';
import { encodeJson } from '@hookline/hook-api/helpers';
import type { RandomWords } from '@hookline/numerics';
import { copyToHost, withPrefix } from '@hookline/numerics';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { Counters, Run } from '../run/run.js';
import type { SavedJson } from './hook-states.js';
import type { SavedLoop } from './resume-point.js';

/** The part of a snapshot that is JSON. Parts that came later are absent in older ones. */
export interface SavedState extends Partial<SavedLoop> {
  seed: number;
  counters: Pick<Counters, 'epoch' | 'completedEpochs' | 'batchesDone' | 'step' | 'elapsedSeconds'> &
    Partial<Counters>;
  random: RandomWords;
  optimizers: OptimizerGroupView[][];
  schedules?: JsonValue;
  /** These may hold numbers that are not finite. */
  metrics: JsonValue;
  logged?: JsonValue;
  numbers?: JsonValue;
  hooks: Record<string, SavedJson>;
  wantsValidation?: boolean;
}

/**
 * Everything is as of the moment of the call, by value: training may go on while the device is read and a checkpoint
 * is written.
 */
export async function takeSnapshot(
  run: Run,
  { include = 'all', checkpoint }: SnapshotOptions = {},
): Promise<Snapshot> {
  const [model, rest] = await Promise.all([
    copyToHost(weightsOf(run, include)),
    include === 'all' ? trainingState(run) : undefined,
  ]);
  const snapshot: Snapshot = { version: 1, model, ...rest };
  if (checkpoint) await run.fire('onBeforeCheckpointSave', () => ({ ...checkpoint, snapshot }));
  return snapshot;
}

/** For a resume, the weights that are trained; alone, those that the model computes with at the moment. */
function weightsOf({ parts, point, average }: Run, include: 'model' | 'all'): Record<string, Tensor> {
  return Object.fromEntries(
    parts.trainable.parameters.map(({ path, variable }) => {
      const trained = average?.weightOf(variable) ?? point.valueOf(variable);
      return [path, include === 'all' ? trained : variable];
    }),
  );
}

/** What an exact resume needs beside the weights. */
async function trainingState(run: Run): Promise<Omit<Snapshot, 'version' | 'model'>> {
  const { optimizers, schedule } = run.parts;
  const { latestLoss, avgLoss } = run.state;
  const { loop, partial } = run.point.save();
  const state = {
    seed: run.info.seed,
    counters: run.counters,
    ...loop,
    random: run.point.random,
    optimizers: optimizers.map(({ view }) => view.groups.map((group) => ({ ...group }))),
    schedules: schedule?.saveState() ?? null,
    numbers: encodeJson({ latestLoss, avgLoss, best: run.best ?? null }),
    wantsValidation: run.wantsValidation,
  };
  const [slots, average, progress, { hooks, metrics, logged }] = await Promise.all([
    Promise.all(optimizers.map((optimizer) => optimizer.saveState())),
    run.average && copyToHost(run.average.tensors),
    copyToHost(partial),
    run.traces.take(),
  ]);
  return {
    optimizer: Object.assign({}, ...slots.map((each, index) => withPrefix(each, `${index}/`))),
    hooks: hooks.tensors,
    ...(average && { average }),
    partial: progress,
    state: { ...state, metrics: encodeJson(metrics), logged: encodeJson(logged), hooks: hooks.json },
  };
}

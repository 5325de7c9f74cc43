import type { SavedCounters, SavedRunState, Snapshot, SnapshotOptions } from '@hookline/hook-api';
import { encodeJson } from '@hookline/hook-api/helpers';
import type { RandomWords } from '@hookline/numerics';
import { copyToHost, withPrefix } from '@hookline/numerics';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { Phase, Place, SavedLoop } from './cursor.js';
import type { SavedJson } from './hook-states.js';
import type { Resumable } from './resumable.js';

/** Where training was; JSON. */
export type Counters = Place & {
  epoch: number;
  completedEpochs: number;
  batchIndex: number;
  elapsedSeconds: number;
};

/** `state` of a snapshot, with the parts that only the trainer understands. */
export type SavedState = Omit<SavedRunState, 'counters' | 'random' | 'loaders' | 'hooks'> &
  Partial<SavedLoop> & {
    counters: SavedCounters & { next?: Phase };
    random: RandomWords;
    hooks: Record<string, SavedJson>;
  };

/**
 * Everything is as of the moment of the call, by value: training may continue while the device is read and a checkpoint
 * is written.
 */
export async function takeSnapshot(
  run: Resumable,
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
function weightsOf({ parts, cursor, average }: Resumable, include: 'model' | 'all'): Record<string, Tensor> {
  return Object.fromEntries(
    parts.trainable.parameters.map(({ path, variable }) => {
      const trained = average?.weightOf(variable) ?? cursor.valueOf(variable);
      return [path, include === 'all' ? trained : variable];
    }),
  );
}

/** What an exact resume needs beside the weights. */
async function trainingState(run: Resumable): Promise<Omit<Snapshot, 'version' | 'model'>> {
  const { optimizers, schedule } = run.parts;
  const { latestLoss, avgLoss } = run.state;
  const { loop, partial } = run.cursor.save();
  const state = {
    seed: run.info.seed,
    counters: countersOf(run),
    ...loop,
    random: run.cursor.random,
    optimizers: optimizers.map(({ view }) => view.groups.map((group) => ({ ...group }))),
    schedules: schedule?.saveState() ?? null,
    numbers: encodeJson({ latestLoss, avgLoss, best: run.best ?? null }),
    wantsValidation: run.wantsValidation,
    ...(run.settings && { settings: run.settings }),
  };
  const [slots, average, progress, { hooks, metrics, logged }] = await Promise.all([
    Promise.all(run.cursor.saveOptimizers()),
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

function countersOf({ state, cursor }: Resumable): Counters {
  const { epoch, completedEpochs, batchIndex, elapsedSeconds } = state;
  return { epoch, completedEpochs, batchIndex, elapsedSeconds, ...cursor.place };
}

import type { HostTensor, Metrics, OptimizerGroupView, RestoreReport, Snapshot } from '@hookline/hook-api';
import type { BestEpoch } from '@hookline/hook-api/helpers';
import { decodeJson } from '@hookline/hook-api/helpers';
import { fromHost, withoutPrefix } from '@hookline/numerics';
import type { Optimizer } from '@hookline/optimizers';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import { joinTensors, statesOf } from './hook-states.js';
import { assign } from './load-weights.js';
import type { Resumable } from './resumable.js';
import type { SavedState } from './snapshot.js';

/** Puts back what the snapshot holds; parts that it does not hold stay as they are. */
export async function restoreSnapshot(
  run: Resumable,
  snapshot: Snapshot,
  { strict = true }: { strict?: boolean } = {},
): Promise<RestoreReport> {
  const report = compare(run, snapshot, strict);
  const { trainable, optimizers, schedule, random, hooks } = run.parts;
  // What is put back counts, also against what was held for the batch or the validation that is under way.
  run.cursor.release();
  run.average?.keepIn();
  for (const { path, variable } of trainable.parameters) {
    if (report.restored.includes(path)) assign(variable, snapshot.model[path]!);
  }
  for (const [index, optimizer] of optimizers.entries()) {
    if (!snapshot.optimizer) continue;
    const mine = Object.entries(withoutPrefix(snapshot.optimizer, `${index}/`));
    await optimizer.loadState(
      Object.fromEntries(mine.filter(([name, saved]) => optimizer.fits(name, saved))),
    );
  }
  if (snapshot.average) run.average?.load(fitting(run, snapshot.average));
  const state = snapshot.state as SavedState | undefined;
  if (!state) return report;
  const { partial = {} } = snapshot;
  restoreLayerStates(run, withoutPrefix(partial, 'states/'));
  restorePlace(run, state, partial);
  if (state.random) random.load(state.random);
  for (const [index, groups] of state.optimizers.entries()) {
    for (const group of groups) restoreGroup(groupOf(optimizers[index], group), group);
  }
  if (state.schedules) schedule?.loadState(state.schedules);
  const unknown = hooks.loadState(joinTensors(state.hooks, snapshot.hooks ?? {}));
  run.traces.absent = statesOf(unknown, { json: state.hooks as never, tensors: snapshot.hooks ?? {} });
  return { ...report, unexpected: [...report.unexpected, ...unknown.map((name) => `hook ${name}`)] };
}

/** Once the loop has begun, its place and its time are its own; only the steps are counted from the snapshot. */
function restorePlace(
  run: Resumable,
  state: SavedState,
  partial: Readonly<Record<string, HostTensor>>,
): void {
  const { counters, seed, loaders = null, progress, metrics, logged = {}, numbers } = state;
  const { step, completedEpochs, batchIndex = 0, batchesDone, elapsedSeconds } = counters;
  run.state.step = run.cursor.place.step = step;
  if (!run.cursor.isFixed) {
    Object.assign(run.state, { epoch: completedEpochs, completedEpochs, batchIndex, elapsedSeconds });
    run.info.seed = seed; // the order of the samples and the hooks' own randomness continue, too
    const { stepBegun = false, next = 'batch' } = counters;
    const loop = { loaders, ...(progress && { progress }) };
    run.cursor.resume({ step, batchesDone, stepBegun, next }, loop, fitting(run, partial, 'gradients/'));
  }
  run.takeOver({
    elapsedSeconds,
    metrics: decodeJson(metrics) as Metrics,
    logged: decodeJson(logged) as Metrics,
    wantsValidation: state.wantsValidation ?? false,
  });
  if (!numbers) return;
  const { best, ...losses } = decodeJson(numbers) as { best: BestEpoch | null };
  Object.assign(run.state, losses);
  run.best = best ?? undefined;
}

/** What of the snapshot fits the run. Throws on any difference when that is asked for, before anything is changed. */
function compare(run: Resumable, { model, optimizer = {}, state }: Snapshot, strict: boolean): RestoreReport {
  const { trainable, optimizers } = run.parts;
  const paths = trainable.parameters.map(({ path }) => path);
  const missing = paths.filter((path) => !model[path]);
  const foreign = Object.keys(model).filter((path) => !paths.includes(path));
  const wrong = trainable.parameters.flatMap(({ path, variable: { shape } }) => {
    const saved = model[path];
    return saved && String(saved.shape) !== String(shape) ? [{ path, saved: saved.shape, shape }] : [];
  });
  const strange = Object.entries(optimizer).flatMap(([name, saved]) => {
    const [index = '', ...rest] = name.split('/');
    return optimizers[Number(index)]?.fits(rest.join('/'), saved) ? [] : [name];
  });
  const groups = (state as SavedState | undefined)?.optimizers ?? [];
  const strangers = groups.flatMap((saved, index) =>
    saved.filter((group) => !groupOf(optimizers[index], group)).map(({ name }) => `${index} group "${name}"`),
  );
  const differences = [
    ...missing.map((path) => `${path}: not in the snapshot`),
    ...foreign.map((path) => `${path}: not in the model`),
    ...wrong.map(({ path, saved, shape }) => `${path}: saved [${saved}], model [${shape}]`),
    ...strange.map((name) => `optimizer ${name}: no such state here`),
    ...strangers.map((name) => `optimizer ${name}: no such group here`),
  ];
  if (strict && differences.length > 0) {
    throw trainerError(
      'CHECKPOINT_MISMATCH',
      `The snapshot does not fit the run:\n${differences.map((line) => `  - ${line}`).join('\n')}\nUse the model and optimizer it was made with, or strict: false (strictResume: false of fit) to load what fits.`,
    );
  }
  const unfit = wrong.map(({ path }) => path);
  return {
    restored: paths.filter((path) => model[path] && !unfit.includes(path)),
    missing,
    unexpected: [...foreign, ...unfit, ...[...strange, ...strangers].map((name) => `optimizer ${name}`)],
  };
}

/** Without the tensors, of those with this prefix, that are of no parameter here. */
function fitting(
  run: Resumable,
  tensors: Readonly<Record<string, HostTensor>>,
  prefix = '',
): Record<string, HostTensor> {
  const { parameters } = run.state;
  return Object.fromEntries(
    Object.entries(tensors).filter(([name, { shape }]) => {
      const mine = parameters[name.slice(prefix.length)];
      return !name.startsWith(prefix) || (mine && String(mine.shape) === String(shape));
    }),
  );
}

/** A momentum without a velocity to act on stays out: what does not fit was compared before. */
function restoreGroup(
  mine: OptimizerGroupView | undefined,
  { momentum, ...saved }: OptimizerGroupView,
): void {
  if (!mine) return;
  Object.assign(mine, saved, momentum !== undefined && mine.momentum !== undefined && { momentum });
}

function groupOf(
  optimizer: Optimizer | undefined,
  { name }: OptimizerGroupView,
): OptimizerGroupView | undefined {
  return optimizer?.view.groups.find((group) => group.name === name);
}

function restoreLayerStates(run: Resumable, saved: Readonly<Record<string, HostTensor>>): void {
  const states = Object.fromEntries(Object.entries(saved).map(([name, tensor]) => [name, fromHost(tensor)]));
  run.parts.trainable.layerStates.write(states);
  tf.dispose(states);
}

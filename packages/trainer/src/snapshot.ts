import type {
  HookStateWithTensors,
  HostTensor,
  JsonValue,
  LoadedHookState,
  OptimizerGroupView,
  RestoreReport,
  SavedHook,
  Snapshot,
  SnapshotOptions,
} from '@hookline/hook-api';
import type { FeedState } from './data/feed-state.js';
import { trainerError } from './errors.js';
import type { Optimizer } from './optimizers/optimizer.js';
import type { RandomWords } from './random.js';
import type { Counters, Run } from './run.js';
import { fromHost, isTensor, toHost } from './tensors.js';

/** Everything is copied by value before this returns: training may go on while a checkpoint is written. */
export async function takeSnapshot(
  run: Run,
  { include = 'all', checkpoint }: SnapshotOptions = {},
): Promise<Snapshot> {
  const { trainable } = run.parts;
  const model: Record<string, HostTensor> = {};
  for (const { path, variable } of trainable.parameters) model[path] = await toHost(variable);
  const snapshot: Snapshot = { version: 1, model, ...(include === 'all' && (await trainingState(run))) };
  if (checkpoint) await run.fire('onBeforeCheckpointSave', () => ({ ...checkpoint, snapshot }));
  return snapshot;
}

/** What an exact resume needs beside the weights. */
async function trainingState(run: Run): Promise<Omit<Snapshot, 'version' | 'model'>> {
  const { optimizers, schedule, random, hooks } = run.parts;
  const optimizer: Record<string, HostTensor> = {};
  for (const [index, each] of optimizers.entries()) {
    for (const [name, tensor] of Object.entries(await each.saveState()))
      optimizer[`${index}/${name}`] = tensor;
  }
  const saved = await splitTensors(hooks.saveState());
  return {
    optimizer,
    hooks: saved.tensors,
    ...(run.average && { average: await run.average.save() }),
    state: {
      seed: run.info.seed,
      counters: { ...run.counters },
      loaders: run.dataPosition ?? null,
      random: random.save(),
      optimizers: optimizers.map(({ view }) => view.groups.map((group) => ({ ...group }))),
      schedules: schedule?.saveState() ?? null,
      metrics: { ...run.metrics },
      hooks: saved.json,
    },
  };
}

/** Puts back what the snapshot holds; parts that it does not hold stay as they are. */
export async function restoreSnapshot(
  run: Run,
  snapshot: Snapshot,
  { strict = true }: { strict?: boolean } = {},
): Promise<RestoreReport> {
  const report = compare(run, snapshot, strict);
  const { trainable, optimizers, schedule, random, hooks } = run.parts;
  for (const { path, variable } of trainable.parameters) {
    if (!report.restored.includes(path)) continue;
    const value = fromHost(snapshot.model[path]!);
    variable.assign(value);
    value.dispose();
  }
  for (const [index, optimizer] of optimizers.entries()) {
    if (!snapshot.optimizer) continue;
    const mine = Object.entries(withoutPrefix(snapshot.optimizer, `${index}/`));
    await optimizer.loadState(
      Object.fromEntries(mine.filter(([name, saved]) => optimizer.fits(name, saved))),
    );
  }
  if (snapshot.average) run.average?.load(snapshot.average);
  const state = snapshot.state as SavedState | undefined;
  if (!state) return report;
  run.resumeFrom(state.counters, state.seed, state.loaders ?? undefined);
  Object.assign(run.metrics, state.metrics);
  random.load(state.random);
  for (const [index, groups] of state.optimizers.entries()) {
    for (const group of groups) Object.assign(groupOf(optimizers[index], group) ?? {}, group);
  }
  if (state.schedules) schedule?.loadState(state.schedules);
  const unknown = hooks.loadState(joinTensors(state.hooks, snapshot.hooks ?? {}));
  return { ...report, unexpected: [...report.unexpected, ...unknown.map((name) => `hook ${name}`)] };
}

interface SavedState {
  seed: number;
  counters: Counters;
  loaders?: FeedState | null;
  random: RandomWords;
  optimizers: OptimizerGroupView[][];
  schedules?: JsonValue;
  metrics: Record<string, number>;
  hooks: Record<string, SavedJson>;
}

/** What is saved of a hook as JSON; its tensors are beside it. */
type SavedJson = SavedHook<JsonValue> & { tensors?: boolean };

/** What of the snapshot fits the run. Throws on any difference when that is asked for, before anything is changed. */
function compare(run: Run, { model, optimizer = {}, state }: Snapshot, strict: boolean): RestoreReport {
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
      `The snapshot does not fit the run:\n${differences.map((line) => `  - ${line}`).join('\n')}\nUse the model and optimizer it was made with, or strict: false to load what fits.`,
    );
  }
  const unfit = wrong.map(({ path }) => path);
  return {
    restored: paths.filter((path) => model[path] && !unfit.includes(path)),
    missing,
    unexpected: [...foreign, ...unfit, ...[...strange, ...strangers].map((name) => `optimizer ${name}`)],
  };
}

function groupOf(
  optimizer: Optimizer | undefined,
  { name }: OptimizerGroupView,
): OptimizerGroupView | undefined {
  return optimizer?.view.groups.find((group) => group.name === name);
}

/** Hook states with their tensors taken out, so that the rest is JSON. */
async function splitTensors(saved: Record<string, SavedHook>): Promise<{
  json: { [hook: string]: JsonValue };
  tensors: Record<string, HostTensor>;
}> {
  const tensors: Record<string, HostTensor> = {};
  const json: { [hook: string]: JsonValue } = {};
  for (const [hook, { state, filters }] of Object.entries(saved)) {
    const plain = isWithTensors(state) ? state.json : state;
    if (isWithTensors(state)) {
      for (const [name, tensor] of Object.entries(state.tensors)) {
        tensors[`${hook}/${name}`] = isTensor(tensor) ? await toHost(tensor) : tensor;
      }
    }
    json[hook] = {
      ...(plain !== undefined && { state: plain }),
      ...(isWithTensors(state) && { tensors: true }),
      ...(filters && { filters }),
    };
  }
  return { json, tensors };
}

function joinTensors(
  saved: Record<string, SavedJson>,
  tensors: Record<string, HostTensor>,
): Record<string, SavedHook<LoadedHookState>> {
  return Object.fromEntries(
    Object.entries(saved).map(([hook, { state, tensors: has, filters }]) => {
      const whole = has ? { json: state ?? null, tensors: withoutPrefix(tensors, `${hook}/`) } : state;
      return [hook, { ...(whole !== undefined && { state: whole }), ...(filters && { filters }) }];
    }),
  );
}

function isWithTensors(state: SavedHook['state']): state is HookStateWithTensors {
  if (typeof state !== 'object' || state === null || !('json' in state && 'tensors' in state)) return false;
  const tensors = Object.values(Object(state.tensors) as HookStateWithTensors['tensors']);
  return tensors.every((tensor) => isTensor(tensor) || ArrayBuffer.isView(tensor?.data));
}

function withoutPrefix(tensors: Record<string, HostTensor>, prefix: string): Record<string, HostTensor> {
  return Object.fromEntries(
    Object.entries(tensors)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, tensor]) => [name.slice(prefix.length), tensor]),
  );
}

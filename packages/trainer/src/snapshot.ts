import type {
  HookStateWithTensors,
  HostTensor,
  JsonValue,
  RestoreReport,
  SavedHook,
  Snapshot,
  SnapshotOptions,
} from '@hookline/hook-api';
import { trainerError } from './errors.js';
import type { RandomWords } from './random.js';
import type { Counters, Run } from './run.js';
import { fromHost, toHost } from './tensors.js';

/** Everything is copied by value before this returns: training may go on while a checkpoint is written. */
export async function takeSnapshot(
  run: Run,
  { include = 'all', checkpoint }: SnapshotOptions = {},
): Promise<Snapshot> {
  const { trainable, optimizers, random, hooks } = run.parts;
  const model: Record<string, HostTensor> = {};
  for (const { path, variable } of trainable.parameters) model[path] = await toHost(variable);
  if (include === 'model') return { version: 1, model };

  const optimizer: Record<string, HostTensor> = {};
  for (const [index, each] of optimizers.entries()) {
    for (const [name, tensor] of Object.entries(await each.saveState()))
      optimizer[`${index}/${name}`] = tensor;
  }
  const { epoch, completedEpochs, step, batchIndex, elapsedSeconds } = run.state;
  const saved = splitTensors(hooks.saveState());
  const snapshot: Snapshot = {
    version: 1,
    model,
    optimizer,
    hooks: saved.tensors,
    state: {
      counters: { epoch, completedEpochs, step, batchIndex, elapsedSeconds },
      random: random.save(),
      optimizers: optimizers.map(({ view }) => view.groups.map(({ lr, lrScale }) => ({ lr, lrScale }))),
      metrics: { ...run.metrics },
      hooks: saved.json,
    },
  };
  if (checkpoint) await run.fire('onBeforeCheckpointSave', () => ({ ...checkpoint, snapshot }));
  return snapshot;
}

/** Puts back what the snapshot holds; parts that it does not hold stay as they are. */
export async function restoreSnapshot(
  run: Run,
  snapshot: Snapshot,
  { strict = true }: { strict?: boolean } = {},
): Promise<RestoreReport> {
  const report = restoreModel(run, snapshot.model, strict);
  const { optimizers, random, hooks } = run.parts;
  for (const [index, optimizer] of optimizers.entries()) {
    if (snapshot.optimizer) optimizer.loadState(withoutPrefix(snapshot.optimizer, `${index}/`));
  }
  const state = snapshot.state as SavedState | undefined;
  if (!state) return report;
  run.resumeFrom(state.counters);
  Object.assign(run.metrics, state.metrics);
  random.load(state.random);
  for (const [index, groups] of state.optimizers.entries()) {
    groups.forEach((group, position) => {
      Object.assign(optimizers[index]?.view.groups[position] ?? {}, group);
    });
  }
  const unknown = hooks.loadState(joinTensors(state.hooks, snapshot.hooks ?? {}));
  return { ...report, unexpected: [...report.unexpected, ...unknown.map((name) => `hook ${name}`)] };
}

interface SavedState {
  counters: Counters;
  random: RandomWords;
  optimizers: { lr: number; lrScale: number }[][];
  metrics: Record<string, number>;
  hooks: Record<string, SavedHook>;
}

function restoreModel(run: Run, model: Snapshot['model'], strict: boolean): RestoreReport {
  const { parameters } = run.parts.trainable;
  const missing = parameters.filter(({ path }) => !model[path]).map(({ path }) => path);
  const unexpected = Object.keys(model).filter(
    (path) => !parameters.some((parameter) => parameter.path === path),
  );
  const wrong = parameters.flatMap(({ path, variable }) => {
    const saved = model[path];
    return saved && String(saved.shape) !== String(variable.shape)
      ? [`${path}: saved [${saved.shape}], model [${variable.shape}]`]
      : [];
  });
  const differences = [
    ...missing.map((path) => `${path}: not in the snapshot`),
    ...unexpected.map((path) => `${path}: not in the model`),
    ...wrong,
  ];
  if (strict && differences.length > 0) {
    throw trainerError(
      'CHECKPOINT_MISMATCH',
      `The snapshot does not fit the model:\n${differences.map((line) => `  - ${line}`).join('\n')}\nUse the model it was made with, or strict: false to load what fits.`,
    );
  }
  const restored: string[] = [];
  for (const { path, variable } of parameters) {
    const saved = model[path];
    if (!saved || String(saved.shape) !== String(variable.shape)) continue;
    const value = fromHost(saved);
    variable.assign(value);
    value.dispose();
    restored.push(path);
  }
  return { restored, missing, unexpected };
}

/** Hook states with their tensors taken out, so that the rest is JSON. */
function splitTensors(saved: Record<string, SavedHook>): {
  json: { [hook: string]: JsonValue };
  tensors: Record<string, HostTensor>;
} {
  const tensors: Record<string, HostTensor> = {};
  const json: { [hook: string]: JsonValue } = {};
  for (const [hook, { state, filters }] of Object.entries(saved)) {
    const plain = isWithTensors(state) ? state.json : state;
    if (isWithTensors(state)) {
      for (const [name, tensor] of Object.entries(state.tensors)) tensors[`${hook}/${name}`] = tensor;
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
  saved: Record<string, SavedHook & { tensors?: boolean }>,
  tensors: Record<string, HostTensor>,
): Record<string, SavedHook> {
  return Object.fromEntries(
    Object.entries(saved).map(([hook, { state, tensors: has, filters }]) => {
      const whole = has ? { json: state as JsonValue, tensors: withoutPrefix(tensors, `${hook}/`) } : state;
      return [hook, { ...(whole !== undefined && { state: whole }), ...(filters && { filters }) }];
    }),
  );
}

function isWithTensors(state: SavedHook['state']): state is HookStateWithTensors {
  if (typeof state !== 'object' || state === null || !('tensors' in state)) return false;
  const { tensors } = state as HookStateWithTensors;
  return (
    typeof tensors === 'object' && Object.values(tensors).every((tensor) => ArrayBuffer.isView(tensor?.data))
  );
}

function withoutPrefix(tensors: Record<string, HostTensor>, prefix: string): Record<string, HostTensor> {
  return Object.fromEntries(
    Object.entries(tensors)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, tensor]) => [name.slice(prefix.length), tensor]),
  );
}

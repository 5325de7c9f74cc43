import type { JsonValue } from '@hookline/hook-api';
import type { BestEpoch } from '@hookline/hook-api/helpers';
import { fateOf, join, type ProcessMark } from '@hookline/host';
import { fieldsOf, listOf, metricsOf, numberOf, textOf } from './log-line.js';
import { readJson } from './read-json.js';
import type { HookView, LayerView, RunView, Status } from './run-view.js';

/** The part of a view that `run.json` tells. */
export type RecordedView = Omit<
  RunView,
  | 'folder'
  | 'earlier'
  | 'series'
  | 'epochs'
  | 'resumes'
  | 'warnings'
  | 'histograms'
  | 'profile'
  | 'confusion'
  | 'skippedLines'
> & {
  /** The folder beside this one whose run it continues. */
  readonly resumedFrom?: string | undefined;
};

const MOST_HOOKS = 1_000;
const MOST_LAYERS = 10_000;

export async function readRecord(folder: string): Promise<RecordedView> {
  return recordedView(await readJson(join(folder, 'run.json')));
}

/** Takes from the content of `run.json` what has the right type, and leaves the rest. */
function recordedView(content: unknown): RecordedView {
  const record = fieldsOf(content);
  const [git, backend, model] = [fieldsOf(record.git), fieldsOf(record.backend), fieldsOf(record.model)];
  const error = fieldsOf(record.error);
  return {
    id: textOf(record.id) ?? '',
    status: statusOf(record),
    stopReason: textOf(record.stopReason),
    failure: textOf(record.failure) ?? textOf(error.message),
    startedAt: textOf(record.startedAt),
    finishedAt: textOf(record.finishedAt),
    durationMs: numberOf(record.durationMs),
    resumedFrom: siblingOf(fieldsOf(record.resumedFrom).run),
    seed: numberOf(record.seed),
    backend: textOf(backend.name),
    device: textOf(backend.device),
    platform: textOf(record.platform),
    configHash: textOf(record.configHash),
    config: record.config as JsonValue | undefined,
    versions: textsOf(record.versions),
    commit: textOf(git.commit),
    isDirty: git.dirty === true,
    parameters: numberOf(model.params),
    layers: listOf(model.layers).slice(0, MOST_LAYERS).map(layerOf),
    hooks: hooksOf(record),
    best: bestOf(record.best),
    metrics: metricsOf(record.metrics),
  };
}

function statusOf({ status, process }: Readonly<Record<string, unknown>>): Status {
  if (status === 'completed' || status === 'stopped' || status === 'error') return status;
  if (status !== 'running') return 'unknown';
  const mark = process as ProcessMark | undefined;
  return mark !== undefined && isDead(mark) ? 'died' : 'running';
}

function isDead(mark: ProcessMark): boolean {
  try {
    return fateOf(mark) === 'dead';
  } catch {
    return false;
  }
}

function hooksOf({ hooks, hookCosts }: Readonly<Record<string, unknown>>): HookView[] {
  const costs = new Map(listOf(hookCosts).map((cost) => [fieldsOf(cost).name, fieldsOf(cost)]));
  return listOf(hooks)
    .slice(0, MOST_HOOKS)
    .map(fieldsOf)
    .map((hook) => ({
      name: textOf(hook.name) ?? '',
      package: textOf(hook.package),
      version: textOf(hook.version),
      isOn: hook.enabled === true,
      reason: textOf(hook.reason),
      options: hook.options as JsonValue | undefined,
      calls: numberOf(costs.get(hook.name)?.calls),
      milliseconds: numberOf(costs.get(hook.name)?.milliseconds),
    }));
}

function layerOf(content: unknown): LayerView {
  const { path, kind, shape, parameters } = fieldsOf(content);
  return {
    path: textOf(path) ?? '',
    kind: textOf(kind) ?? '',
    shape: textOf(shape) ?? '',
    parameters: numberOf(parameters) ?? 0,
  };
}

function bestOf(content: unknown): BestEpoch | undefined {
  const { metric, value, epoch } = fieldsOf(content);
  const [number, count] = [numberOf(value), numberOf(epoch)];
  if (typeof metric !== 'string' || number === undefined || count === undefined) return undefined;
  return { metric, value: number, epoch: count };
}

/** A name and never a path: a record may come from anywhere, and must not make us read elsewhere. */
function siblingOf(run: unknown): string | undefined {
  return typeof run === 'string' && /^[\w-][\w.-]{0,200}$/.test(run) ? run : undefined;
}

function textsOf(content: unknown): Record<string, string> {
  const entries = Object.entries(fieldsOf(content)).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(entries) as Record<string, string>;
}

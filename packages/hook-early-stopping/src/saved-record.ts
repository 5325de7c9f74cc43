import type { HookState, JsonValue, LoadedHookState, LoadedStateWithTensors } from '@hookline/hook-api';
import { foreignState } from '@hookline/hook-api/helpers';
import type { SavedBest } from './best-weights.js';
import type { StoppingRecord } from './judge.js';

/** The record as JSON, together with the best weights or the place where they are. */
export function saveRecord(record: StoppingRecord, { weights, step, path }: SavedBest): HookState {
  const json: JsonValue = {
    best: encode(record.best),
    bestEpoch: record.bestEpoch ?? null,
    wait: record.wait,
    stoppedEpoch: record.stoppedEpoch ?? null,
    ...(step !== undefined && { bestStep: step }),
    ...(path !== undefined && { bestCheckpoint: path }),
  };
  return weights ? { json, tensors: { ...weights } } : json;
}

export function loadRecord(
  hook: string,
  state: LoadedHookState,
): { record: StoppingRecord; best: SavedBest } {
  const { json, tensors } = hasTensors(state) ? state : { json: state, tensors: undefined };
  const saved = Object(json) as Record<string, unknown>;
  if (typeof saved.wait !== 'number') {
    throw foreignState(hook, json, '{ best, bestEpoch, wait, stoppedEpoch }');
  }
  const record: StoppingRecord = {
    best: saved.best === null || saved.best === undefined ? undefined : Number(saved.best),
    bestEpoch: numberOrUndefined(saved.bestEpoch),
    wait: saved.wait,
    stoppedEpoch: numberOrUndefined(saved.stoppedEpoch),
  };
  return { record, best: { weights: tensors, ...placeOf(saved) } };
}

function placeOf({ bestStep, bestCheckpoint }: Record<string, unknown>): SavedBest {
  return {
    step: numberOrUndefined(bestStep),
    path: typeof bestCheckpoint === 'string' ? bestCheckpoint : undefined,
  };
}

// JSON cannot hold an infinity, and with `checkFinite: false` the best may be one.
function encode(best: number | undefined): JsonValue {
  if (best === undefined) return null;
  return Number.isFinite(best) ? best : String(best);
}

function numberOrUndefined(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function hasTensors(state: LoadedHookState): state is LoadedStateWithTensors {
  return typeof state === 'object' && state !== null && 'tensors' in state && 'json' in state;
}

import {
  HooklineError,
  type HookState,
  type HostTensor,
  type JsonValue,
  type LoadedHookState,
  type LoadedStateWithTensors,
} from '@hookline/hook-api';
import type { StoppingRecord } from './judge.js';

/** The record as JSON, together with the best weights when there are some. */
export function saveRecord(
  record: StoppingRecord,
  weights: Record<string, HostTensor> | undefined,
): HookState {
  const json: JsonValue = {
    best: encode(record.best),
    bestEpoch: record.bestEpoch ?? null,
    wait: record.wait,
    stoppedEpoch: record.stoppedEpoch ?? null,
  };
  return weights ? { json, tensors: weights } : json;
}

export function loadRecord(state: LoadedHookState): {
  record: StoppingRecord;
  weights: Record<string, HostTensor> | undefined;
} {
  const { json, tensors } = hasTensors(state) ? state : { json: state, tensors: undefined };
  const saved = json as {
    best?: unknown;
    bestEpoch?: unknown;
    wait?: unknown;
    stoppedEpoch?: unknown;
  } | null;
  if (typeof saved !== 'object' || saved === null || typeof saved.wait !== 'number') {
    throw new HooklineError(
      'HOOK_STATE',
      `Hook "early-stopping" was given a saved state that is not its own: ${JSON.stringify(json)}. ` +
        'Expected { best, bestEpoch, wait, stoppedEpoch }. Start it afresh by leaving the state out.',
    );
  }
  const record: StoppingRecord = {
    best: saved.best === null || saved.best === undefined ? undefined : Number(saved.best),
    bestEpoch: numberOrUndefined(saved.bestEpoch),
    wait: saved.wait,
    stoppedEpoch: numberOrUndefined(saved.stoppedEpoch),
  };
  return { record, weights: tensors };
}

// JSON has no infinity, and with `checkFinite: false` the best may be one.
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

import type { Tensor } from '@tensorflow/tfjs-core';
import type { JsonValue } from './json.js';
import type { HostTensor } from './snapshot.js';

/** What `saveState` returns: plain JSON, or JSON together with named tensors. */
export type HookState = JsonValue | HookStateWithTensors;

export interface HookStateWithTensors {
  json: JsonValue;
  /** The tensors still belong to the hook: they are copied before training continues. */
  tensors: Record<string, HostTensor | Tensor>;
}

/** What `loadState` gets: the same JSON, and tensors on the host. */
export type LoadedHookState = JsonValue | LoadedStateWithTensors;

export interface LoadedStateWithTensors {
  json: JsonValue;
  tensors: Record<string, HostTensor>;
}

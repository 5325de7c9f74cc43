import type { HostTensor } from './snapshot.js';

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** What `saveState` returns: plain JSON, or JSON together with named tensors. */
export type HookState = JsonValue | HookStateWithTensors;

export interface HookStateWithTensors {
  json: JsonValue;
  tensors: Record<string, HostTensor>;
}

import type {
  HookStateWithTensors,
  HostTensor,
  JsonValue,
  LoadedHookState,
  SavedHook,
} from '@hookline/hook-api';
import { decodeJson, encodeJson } from '@hookline/hook-api/helpers';
import { copyToHost, isTensor, withoutPrefix } from '@hookline/numerics';
import type { Tensor } from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';

/** What is saved of a hook as JSON; its tensors are beside it. */
export type SavedJson = SavedHook<JsonValue> & { tensors?: boolean };

/** What is saved of all hooks: JSON by name, tensors as `<hook>/<name>`. */
export interface HookStates {
  json: { [hook: string]: JsonValue };
  tensors: Record<string, HostTensor>;
}

/**
 * Hook states with their tensors taken out, so that the rest is JSON; as of the moment of the call. A state that cannot
 * be kept is left out; `onFailure` gets the error, which names the hook.
 */
export async function splitTensors(
  saved: Record<string, SavedHook>,
  onFailure: (error: unknown) => void,
): Promise<HookStates> {
  const tensors: Record<string, HostTensor | Tensor> = {};
  const json: HookStates['json'] = {};
  for (const [hook, { state, filters }] of Object.entries(saved)) {
    json[hook] = filters ? { filters } : {};
    if (state === undefined) continue;
    try {
      const held = isWithTensors(state) ? state.tensors : undefined;
      const plain = encodeJson(isWithTensors(state) ? state.json : state, refuseFor(hook));
      for (const [name, tensor] of Object.entries(held ?? {})) checkAlive(tensor, name, refuseFor(hook));
      json[hook] = { state: plain, ...(held && { tensors: true }), ...json[hook] };
      for (const [name, tensor] of Object.entries(held ?? {})) tensors[`${hook}/${name}`] = tensor;
    } catch (error) {
      onFailure(error);
    }
  }
  return { json, tensors: await copyToHost(tensors) };
}

export function joinTensors(
  saved: Record<string, SavedJson>,
  tensors: Record<string, HostTensor>,
): Record<string, SavedHook<LoadedHookState>> {
  return Object.fromEntries(
    Object.entries(saved).map(([hook, { state, tensors: has, filters }]) => {
      const plain = state === undefined ? undefined : decodeJson(state);
      const whole = has ? { json: plain ?? null, tensors: withoutPrefix(tensors, `${hook}/`) } : plain;
      return [hook, { ...(whole !== undefined && { state: whole }), ...(filters && { filters }) }];
    }),
  );
}

/** The states of these hooks only, as they were saved. */
export function statesOf(names: readonly string[], { json, tensors }: HookStates): HookStates {
  return {
    json: Object.fromEntries(Object.entries(json).filter(([hook]) => names.includes(hook))),
    tensors: Object.fromEntries(
      Object.entries(tensors).filter(([name]) => names.some((hook) => name.startsWith(`${hook}/`))),
    ),
  };
}

function isWithTensors(state: SavedHook['state']): state is HookStateWithTensors {
  if (typeof state !== 'object' || state === null || !('json' in state && 'tensors' in state)) return false;
  const tensors = Object.values(Object(state.tensors) as HookStateWithTensors['tensors']);
  return tensors.every((tensor) => isTensor(tensor) || ArrayBuffer.isView(tensor?.data));
}

function checkAlive(
  tensor: HostTensor | Tensor,
  name: string,
  refuse: (path: string, what: string) => never,
) {
  if (isTensor(tensor) && tensor.isDisposed) refuse(name, 'a tensor that was disposed');
}

function refuseFor(hook: string): (path: string, what: string) => never {
  return (path, what) => {
    const place = path === '' ? 'it' : path.startsWith('[') ? `item ${path}` : `"${path}"`;
    throw trainerError(
      'HOOK_STATE',
      `The state that hook "${hook}" saves cannot be kept: ${place} is ${what}. saveState() returns JSON (numbers, text, true, false, null, lists and plain objects), or { json, tensors }.`,
    );
  };
}

import type { HostTensor } from '@hookline/hook-api';
import { writeSafetensors } from '@hookline/safetensors/node';
import type { CapturedState } from './captured-state.js';

const DTYPES = { float32: 'F32', int32: 'I32', bool: 'BOOL' } as const;

/**
 * Writes states to a safetensors file: tensors named `<id>/<number>/<path>/output`, and with the file, as metadata
 * under the name of the state, where and when each was seen.
 */
export async function saveStates(file: string, states: readonly CapturedState[]): Promise<void> {
  const tensors = new Map<string, HostTensor>();
  const metadata = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const { inputs, outputs, ...state } of states) {
    const number = counts.get(state.id) ?? 0;
    counts.set(state.id, number + 1);
    const name = `${state.id}/${number}/${state.path}`;
    metadata.set(name, JSON.stringify(state));
    add(tensors, `${name}/input`, inputs);
    add(tensors, `${name}/output`, outputs);
  }
  const named = [...tensors].map(
    ([name, { dtype, shape, data }]) => [name, { dtype: DTYPES[dtype], shape, data }] as const,
  );
  await writeSafetensors(file, new Map(named), { metadata });
}

/** The first keeps the bare name: `input`, `input_2`. */
function add(tensors: Map<string, HostTensor>, name: string, list: readonly HostTensor[]): void {
  list.forEach((tensor, index) => {
    tensors.set(index === 0 ? name : `${name}_${index + 1}`, tensor);
  });
}

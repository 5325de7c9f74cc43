import { HooklineError, type HostTensor } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { encodeSafetensors, parseSafetensors } from '@hookline/safetensors';

/** Names of dtypes in a safetensors file; a tensor of tfjs is one of these. */
const DTYPES = { float32: 'F32', int32: 'I32', bool: 'BOOL' } as const;

export function encodeTensors(tensors: Readonly<Record<string, HostTensor>>): Uint8Array {
  const entries = Object.entries(tensors).map(
    ([name, { dtype, shape, data }]) => [name, { dtype: DTYPES[dtype], shape, data }] as const,
  );
  return encodeSafetensors(new Map(entries));
}

/** The tensors of a file; `where` is for the error. */
export function decodeTensors(file: Uint8Array, where: string): Map<string, HostTensor> {
  try {
    return new Map(
      [...parseSafetensors(file).tensors].map(([name, { dtype, shape, data }]) => {
        const kind = Object.entries(DTYPES).find(([, short]) => short === dtype)?.[0];
        if (kind === undefined) throw new Error(`"${name}" is of type ${dtype}, which no tensor of tfjs has`);
        return [name, { dtype: kind, shape, data } as HostTensor];
      }),
    );
  } catch (cause) {
    throw new HooklineError('BUNDLE_DAMAGED', `${where} cannot be read. ${messageOf(cause)}`, { cause });
  }
}

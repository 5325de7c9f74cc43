import type { HostTensor } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { encodeSafetensors, parseSafetensors } from '@hookline/safetensors';
import type { Tensor } from '@tensorflow/tfjs-core';
import { debugError } from '../errors.js';

/** The names of dtypes in a safetensors file, for those that a file can hold. */
const DTYPES = { float32: 'F32', int32: 'I32', bool: 'BOOL' } as const;

/** Files hold numbers only, not text or complex numbers. */
export function isStorable({ dtype }: Tensor): boolean {
  return Object.hasOwn(DTYPES, dtype);
}

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
        if (kind === undefined) throw new Error(`"${name}" is of type ${dtype}, which tfjs does not have`);
        return [name, { dtype: kind, shape, data } as HostTensor];
      }),
    );
  } catch (cause) {
    throw debugError('BUNDLE_DAMAGED', `${where} cannot be read. ${messageOf(cause)}`, cause);
  }
}

import { HooklineError, type HostTensor } from '@hookline/hook-api';

/** Names of dtypes in a safetensors file; a tfjs tensor is one of these. */
const DTYPES = { float32: 'F32', int32: 'I32', bool: 'BOOL' } as const;

const ARRAYS = { F32: Float32Array, I32: Int32Array, BOOL: Uint8Array } as const;

interface Entry {
  dtype: keyof typeof ARRAYS;
  shape: number[];
  /** From the end of the header. */
  data_offsets: [number, number];
}

/**
 * Tensors as a safetensors file: the length of the header (8 bytes, little-endian), the header (JSON, padded with
 * spaces), the data. Wide types come first, so that all data is aligned.
 */
export function encodeTensors(tensors: Readonly<Record<string, HostTensor>>): Uint8Array {
  const sorted = Object.entries(tensors).sort(
    ([a, { data: x }], [b, { data: y }]) => y.BYTES_PER_ELEMENT - x.BYTES_PER_ELEMENT || (a < b ? -1 : 1),
  );
  let end = 0;
  const entries = sorted.map(([name, { dtype, shape, data }]): [string, Entry] => {
    const begin = end;
    end += data.byteLength;
    return [name, { dtype: DTYPES[dtype], shape: [...shape], data_offsets: [begin, end] }];
  });
  const json = new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries)));
  const headerSize = Math.ceil(json.length / 8) * 8;
  const file = new Uint8Array(8 + headerSize + end).fill(SPACE, 8, 8 + headerSize);
  new DataView(file.buffer).setBigUint64(0, BigInt(headerSize), true);
  file.set(json, 8);
  for (const [index, [, { data }]] of sorted.entries()) {
    const [begin] = entries[index]![1].data_offsets;
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), 8 + headerSize + begin);
  }
  return file;
}

/** The tensors of a file, each with data of its own. `where` is for the error. */
export function decodeTensors(file: Uint8Array, where: string): Map<string, HostTensor> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const headerSize = file.length < 8 ? 0 : Number(view.getBigUint64(0, true));
  if (headerSize < 2 || headerSize > file.length - 8) throw damaged(where, 'its header is cut off');
  const start = 8 + headerSize;
  let header: Record<string, Entry>;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(file.subarray(8, start)));
  } catch (cause) {
    throw damaged(where, 'its header is no JSON', cause);
  }
  const tensors = new Map<string, HostTensor>();
  let end = 0;
  for (const [name, entry] of byOffset(header)) {
    const { dtype, shape, data_offsets: [begin, next] = [] } = entry ?? {};
    const Values = ARRAYS[dtype as keyof typeof ARRAYS];
    const count = (shape ?? []).reduce((product, length) => product * length, 1);
    const size = count * Values?.BYTES_PER_ELEMENT;
    if (!shape || !(size >= 0) || begin !== end || next !== begin + size) {
      throw damaged(where, `the entry "${name}" does not add up`);
    }
    // A copy: `slice` of a Buffer would be none, and a typed array must begin at a multiple of its size.
    const bytes = new Uint8Array(file.subarray(start + begin, start + next));
    end = next;
    if (bytes.length !== size) throw damaged(where, 'its data is cut off');
    const kind = Object.entries(DTYPES).find(([, short]) => short === dtype)![0] as HostTensor['dtype'];
    tensors.set(name, { dtype: kind, shape, data: new Values(bytes.buffer) });
  }
  if (start + end !== file.length) throw damaged(where, 'something follows its data');
  return tensors;
}

const SPACE = 0x20;

function byOffset(header: Record<string, Entry>): [string, Entry][] {
  return Object.entries(header)
    .filter(([name]) => name !== '__metadata__')
    .sort(([, a], [, b]) => (a?.data_offsets?.[0] ?? 0) - (b?.data_offsets?.[0] ?? 0));
}

function damaged(where: string, problem: string, cause?: unknown): HooklineError {
  return new HooklineError('BUNDLE_DAMAGED', `${where} is no whole safetensors file: ${problem}.`, { cause });
}

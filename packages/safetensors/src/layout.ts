import { DTYPES, type Dtype } from './dtypes.js';
import { SafetensorsError } from './errors.js';
import { LENGTH_BYTES, MAX_HEADER_BYTES } from './header.js';
import { byteLengthOf } from './shape.js';
import { entriesOf, type Metadata } from './tensors.js';

interface Shaped {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
}

export interface Layout<Tensor> {
  /** With the length before it and the spaces after it. */
  readonly header: Uint8Array;
  /** In the order in which their bytes follow. */
  readonly tensors: readonly Tensor[];
  /** Of the whole file. */
  readonly bytes: number;
}

/**
 * Decides where everything goes, to the byte as the reference writer does: wide dtypes first, then by name, and data
 * that starts at a multiple of 8. So every tensor lies where an array of its type can look at it without a copy.
 */
export function layOut<Tensor extends Shaped>(
  unsorted: readonly Tensor[],
  metadata: Metadata = {},
): Layout<Tensor> {
  const encoder = new TextEncoder();
  const tensors = unsorted
    .map((tensor) => ({ tensor, order: DTYPES.indexOf(tensor.dtype), name: encoder.encode(tensor.name) }))
    .sort((a, b) => b.order - a.order || compareBytes(a.name, b.name))
    .map(({ tensor }) => tensor);

  const members: string[] = [];
  const texts = entriesOf(metadata);
  if (texts.length > 0) members.push(`"__metadata__":{${texts.map(metadataMember).join(',')}}`);
  let end = 0;
  for (const { name, dtype, shape } of tensors) {
    const begin = end;
    end += byteLengthOf(name, dtype, shape);
    const entry = JSON.stringify({ dtype, shape, data_offsets: [begin, end] });
    members.push(`${JSON.stringify(nameOf(name))}:${entry}`);
  }
  const header = paddedHeader(encoder.encode(`{${members.join(',')}}`));
  return { header, tensors, bytes: header.byteLength + end };
}

function paddedHeader(json: Uint8Array): Uint8Array {
  const length = Math.ceil(json.byteLength / 8) * 8;
  if (length > MAX_HEADER_BYTES) {
    throw new SafetensorsError(
      'HEADER_TOO_LARGE',
      `The header would have ${length} bytes; the format allows ${MAX_HEADER_BYTES}. Write fewer tensors or less metadata to one file.`,
    );
  }
  const header = new Uint8Array(LENGTH_BYTES + length).fill(0x20);
  new DataView(header.buffer).setBigUint64(0, BigInt(length), true);
  header.set(json, LENGTH_BYTES);
  return header;
}

function metadataMember([key, value]: [string, unknown]): string {
  if (typeof value !== 'string') {
    throw new SafetensorsError(
      'INVALID_HEADER_DESERIALIZATION',
      `"${key}" of the metadata is ${value === null ? 'null' : typeof value}; the format has only strings there.`,
    );
  }
  return `${JSON.stringify(wellFormed(key))}:${JSON.stringify(wellFormed(value))}`;
}

function nameOf(name: string): string {
  if (name !== '__metadata__') return wellFormed(name);
  throw new SafetensorsError('INVALID_TENSOR_VIEW', 'No tensor can be named "__metadata__".');
}

function wellFormed(text: string): string {
  if (!/\p{Surrogate}/u.test(text)) return text;
  throw new SafetensorsError(
    'INVALID_HEADER',
    `${JSON.stringify(text)} has half a character (a lone surrogate), which UTF-8 cannot hold.`,
  );
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = a[index]! - b[index]!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

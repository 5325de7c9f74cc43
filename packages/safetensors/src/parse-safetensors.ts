import { type HeaderOptions, headerEnd, LENGTH_BYTES, parseHeader } from './header.js';
import { dataOf, type SafetensorsTensor } from './tensors.js';

export interface SafetensorsContent {
  readonly metadata: ReadonlyMap<string, string>;
  /** In the order of the file. */
  readonly tensors: ReadonlyMap<string, SafetensorsTensor>;
}

/** The tensors look at the given bytes where those are aligned, as they are in every file of a usual writer. */
export function parseSafetensors(bytes: Uint8Array, options: HeaderOptions = {}): SafetensorsContent {
  const start = headerEnd(bytes, bytes.byteLength, options);
  const { metadata, tensors } = parseHeader(bytes.subarray(LENGTH_BYTES, start), bytes.byteLength);
  const contents = new Map<string, SafetensorsTensor>();
  for (const [name, { dtype, shape, begin, end }] of tensors) {
    contents.set(name, { dtype, shape, data: dataOf(dtype, bytes.subarray(begin, end)) });
  }
  return { metadata, tensors: contents };
}

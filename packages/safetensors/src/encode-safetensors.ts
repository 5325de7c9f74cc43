import { layOut } from './layout.js';
import { bytesOf, dtypeOf, entriesOf, type Metadata, type Tensors } from './tensors.js';

export interface EncodeOptions {
  readonly metadata?: Metadata;
}

/** A whole file in memory. */
export function encodeSafetensors(
  tensors: Tensors,
  { metadata = {} }: EncodeOptions = {},
): Uint8Array<ArrayBuffer> {
  const layout = layOut(
    entriesOf(tensors).map(([name, { dtype, shape, data }]) => {
      const known = dtypeOf(name, dtype, data);
      return { name, dtype: known, shape, bytes: bytesOf(name, { dtype: known, shape, data }) };
    }),
    metadata,
  );
  const file = new Uint8Array(layout.bytes);
  file.set(layout.header);
  let at = layout.header.byteLength;
  for (const { bytes } of layout.tensors) {
    file.set(bytes, at);
    at += bytes.byteLength;
  }
  return file;
}

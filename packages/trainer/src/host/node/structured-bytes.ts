import { deserialize, serialize } from 'node:v8';

/** Anything that can be cloned, as bytes for another process. */
export function toBytes(value: unknown): Uint8Array {
  return serialize(value);
}

export function fromBytes(bytes: Uint8Array): unknown {
  return deserialize(bytes);
}

import type { JsonValue } from '@hookline/hook-api';
import { createSha256 } from '@hookline/host';
import { valueKinds } from '#host';

/** Data up to this many bytes is hashed; of larger data type and shape must do. */
const MAX_HASHED_BYTES = 2 ** 20;
/** Hashing a tensor means reading it from the device. */
const MAX_HASHED_ELEMENTS = 4096;

/** Values that are written whole; undefined for lists, objects and instances, which are walked through. */
export function canonicalLeaf(value: unknown): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { $number: Object.is(value, -0) ? '-0' : `${value}` };
    case 'bigint':
      return { $bigint: value.toString() };
    case 'symbol':
      return { $symbol: value.description ?? '' };
    case 'undefined':
      return { $undefined: true };
    case 'function':
      return { $function: value.name || 'anonymous' };
    default:
      return value === null ? null : objectLeaf(value as object);
  }
}

export function classNameOf(value: object): string {
  return (value.constructor as { name?: string } | undefined)?.name || 'Object';
}

export function sha256(data: string | Uint8Array): string {
  return createSha256().update(data).digest();
}

function objectLeaf(value: object): JsonValue | undefined {
  if (valueKinds.isDate(value))
    return { $date: Number.isNaN(value.getTime()) ? 'invalid' : value.toISOString() };
  if (valueKinds.isRegExp(value)) return { $regexp: String(value) };
  if (valueKinds.isNativeError(value)) return { $error: `${value.name}: ${value.message}` };
  if (ArrayBuffer.isView(value)) return viewLeaf(value);
  if (valueKinds.isAnyArrayBuffer(value)) return viewLeaf(new Uint8Array(value), classNameOf(value));
  return isTensor(value) ? tensorLeaf(value) : undefined;
}

function viewLeaf(view: ArrayBufferView, type: string = classNameOf(view)): JsonValue {
  const length = (view as Partial<Uint8Array>).length ?? view.byteLength;
  return { $data: type, shape: [length], ...hashOf(view) };
}

interface TensorLike {
  dtype: string;
  shape: number[];
  size: number;
  dataSync(): ArrayBufferView | string[];
}

function isTensor(value: object): value is TensorLike {
  const { dataId, dtype, shape, dataSync } = value as Partial<Record<string, unknown>>;
  return (
    dataId !== undefined &&
    typeof dtype === 'string' &&
    Array.isArray(shape) &&
    typeof dataSync === 'function'
  );
}

function tensorLeaf(tensor: TensorLike): JsonValue {
  const description = { $data: `tensor ${tensor.dtype}`, shape: [...tensor.shape] };
  if (tensor.size > MAX_HASHED_ELEMENTS) return description;
  try {
    const data = tensor.dataSync();
    return {
      ...description,
      ...(Array.isArray(data) ? { sha256: sha256(JSON.stringify(data)) } : hashOf(data)),
    };
  } catch {
    // Disposed, or on a device that cannot be read synchronously.
    return description;
  }
}

function hashOf({ buffer, byteOffset, byteLength }: ArrayBufferView): { sha256?: string } {
  if (byteLength > MAX_HASHED_BYTES) return {};
  return { sha256: sha256(new Uint8Array(buffer, byteOffset, byteLength)) };
}

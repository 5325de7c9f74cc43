import { arrayOf, DTYPES, type Dtype, isDtype, type TensorData } from './dtypes.js';
import { SafetensorsError } from './errors.js';
import { byteLengthOf } from './shape.js';

/** A tensor as it was read. */
export interface SafetensorsTensor {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  /** Of the type that fits the dtype; bytes for BOOL and for everything that JavaScript has no array for. */
  readonly data: TensorData;
}

/** A tensor to write. */
export interface TensorInput {
  /** Taken from the type of the array when absent. */
  readonly dtype?: Dtype;
  readonly shape: readonly number[];
  /** An array of the type that fits the dtype, or bytes. */
  readonly data: TensorData;
}

export type Tensors = ReadonlyMap<string, TensorInput> | Readonly<Record<string, TensorInput>>;

export type Metadata = ReadonlyMap<string, string> | Readonly<Record<string, string>>;

const INFERRED: Readonly<Record<string, Dtype>> = {
  Uint8Array: 'U8',
  Int8Array: 'I8',
  Int16Array: 'I16',
  Uint16Array: 'U16',
  Int32Array: 'I32',
  Uint32Array: 'U32',
  Float32Array: 'F32',
  Float64Array: 'F64',
  BigInt64Array: 'I64',
  BigUint64Array: 'U64',
};

export function entriesOf<Value>(
  values: ReadonlyMap<string, Value> | Readonly<Record<string, Value>>,
): [string, Value][] {
  return Symbol.iterator in values
    ? [...(values as ReadonlyMap<string, Value>)]
    : Object.entries(values as Readonly<Record<string, Value>>);
}

/** Says which dtype a tensor has. */
export function dtypeOf(name: string, dtype: Dtype | undefined, data: unknown): Dtype {
  const found = dtype ?? INFERRED[kindOf(data)];
  if (isDtype(found)) return found;
  throw new SafetensorsError(
    'INVALID_TENSOR_VIEW',
    dtype === undefined
      ? `Tensor "${name}" has no dtype, and its data is ${kindOf(data)}. Expected an array that tells, or a dtype.`
      : `Tensor "${name}" has the dtype "${dtype}". Expected one of ${DTYPES.join(', ')}.`,
  );
}

/** The bytes of a tensor, without a copy. */
export function bytesOf(name: string, { dtype, shape, data }: SafetensorsTensor): Uint8Array {
  const kind = kindOf(data);
  if (kind !== arrayOf(dtype).name && kind !== 'Uint8Array') {
    throw new SafetensorsError(
      'INVALID_TENSOR_VIEW',
      `Tensor "${name}" is ${dtype}, but its data is ${kind}. Expected ${arrayOf(dtype).name} or bytes.`,
    );
  }
  const expected = byteLengthOf(name, dtype, shape);
  if (data.byteLength !== expected) {
    throw new SafetensorsError(
      'INVALID_TENSOR_VIEW',
      `Tensor "${name}" of ${dtype} [${shape.join(', ')}] needs ${expected} bytes, but its data has ${data.byteLength}.`,
    );
  }
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** A view where the bytes lie as the array needs them, otherwise a copy. */
export function dataOf(dtype: Dtype, bytes: Uint8Array): TensorData {
  const Data = arrayOf(dtype);
  // Not bytes.slice(): that of a Buffer makes no copy.
  const aligned = bytes.byteOffset % Data.BYTES_PER_ELEMENT === 0 ? bytes : new Uint8Array(bytes);
  return new Data(aligned.buffer, aligned.byteOffset, aligned.byteLength / Data.BYTES_PER_ELEMENT);
}

/** The class of an array, also when it comes from another realm. */
function kindOf(data: unknown): string {
  if (ArrayBuffer.isView(data)) return Object.prototype.toString.call(data).slice(8, -1);
  return data === null ? 'null' : Array.isArray(data) ? 'a plain array' : typeof data;
}

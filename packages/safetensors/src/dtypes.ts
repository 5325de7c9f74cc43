/** In the order of the format: a writer puts the last of them first, so that every tensor is aligned. */
export const DTYPES = [
  'BOOL',
  'F4',
  'F6_E2M3',
  'F6_E3M2',
  'U8',
  'I8',
  'F8_E5M2',
  'F8_E4M3',
  'F8_E8M0',
  'F8_E4M3FNUZ',
  'F8_E5M2FNUZ',
  'I16',
  'U16',
  'F16',
  'BF16',
  'I32',
  'U32',
  'F32',
  'C64',
  'F64',
  'I64',
  'U64',
] as const;

export type Dtype = (typeof DTYPES)[number];

export type TensorData =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array;

interface TensorDataConstructor {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): TensorData;
}

const BITS: Readonly<Partial<Record<Dtype, number>>> = { F4: 4, F6_E2M3: 6, F6_E3M2: 6 };

/** What JavaScript has an array for. Everything else is bytes. C64 is pairs of real and imaginary part. */
const ARRAYS: Readonly<Partial<Record<Dtype, TensorDataConstructor>>> = {
  I8: Int8Array,
  I16: Int16Array,
  U16: Uint16Array,
  I32: Int32Array,
  U32: Uint32Array,
  F32: Float32Array,
  C64: Float32Array,
  F64: Float64Array,
  I64: BigInt64Array,
  U64: BigUint64Array,
};

export function isDtype(value: unknown): value is Dtype {
  return DTYPES.includes(value as Dtype);
}

export function bitsOf(dtype: Dtype): number {
  const order = DTYPES.indexOf(dtype);
  if (order >= DTYPES.indexOf('C64')) return 64;
  if (order >= DTYPES.indexOf('I32')) return 32;
  if (order >= DTYPES.indexOf('I16')) return 16;
  return BITS[dtype] ?? 8;
}

export function arrayOf(dtype: Dtype): TensorDataConstructor {
  return ARRAYS[dtype] ?? Uint8Array;
}

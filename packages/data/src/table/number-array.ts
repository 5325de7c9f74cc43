export type NumberArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array;

export function isNumberArray(value: unknown): value is NumberArray {
  return (
    ArrayBuffer.isView(value) &&
    !(value instanceof DataView || value instanceof BigInt64Array || value instanceof BigUint64Array)
  );
}

import { type Dtype, isDtype } from './dtypes.js';
import { SafetensorsError } from './errors.js';
import { type HeaderJson, readHeaderJson } from './header-json.js';
import { byteLengthOf } from './shape.js';

export interface TensorInfo {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  /** Where its bytes begin and end, counted from the start of the file. */
  readonly begin: number;
  readonly end: number;
}

export interface Header {
  readonly metadata: ReadonlyMap<string, string>;
  /** In the order of their bytes. */
  readonly tensors: ReadonlyMap<string, TensorInfo>;
}

export interface HeaderOptions {
  /** Longer headers are refused before anything is allocated. That of the format, 100 MB, when absent. */
  readonly maxHeaderBytes?: number;
}

/** The file begins with the length of the header, a number of 8 bytes. */
export const LENGTH_BYTES = 8;
export const MAX_HEADER_BYTES = 100_000_000;

/** Where the header ends, from the first 8 bytes of a file. */
export function headerEnd(
  start: Uint8Array,
  fileBytes: number,
  { maxHeaderBytes = MAX_HEADER_BYTES }: HeaderOptions,
): number {
  if (start.byteLength < LENGTH_BYTES) {
    throw new SafetensorsError(
      'HEADER_TOO_SMALL',
      `The file has ${start.byteLength} bytes. Expected at least ${LENGTH_BYTES}, which say how long the header is.`,
    );
  }
  const length = new DataView(start.buffer, start.byteOffset, LENGTH_BYTES).getBigUint64(0, true);
  if (length > maxHeaderBytes) {
    throw new SafetensorsError(
      'HEADER_TOO_LARGE',
      `The file says that its header has ${length} bytes; the limit is ${maxHeaderBytes}. It may not be a safetensors file.`,
    );
  }
  const end = LENGTH_BYTES + Number(length);
  if (end > fileBytes) {
    throw new SafetensorsError(
      'INVALID_HEADER_LENGTH',
      `The header ends at byte ${end}, but the file has ${fileBytes}. It is cut off, or not a safetensors file.`,
    );
  }
  return end;
}

/** Reads and checks the header, given without the length before it. */
export function parseHeader(bytes: Uint8Array, fileBytes: number): Header {
  const dataStart = LENGTH_BYTES + bytes.byteLength;
  let metadata: ReadonlyMap<string, string> = new Map();
  const tensors: [string, TensorInfo][] = [];
  readHeaderJson(textOf(bytes), (name, entry) => {
    if (name === '__metadata__') metadata = metadataOf(entry);
    else tensors.push([name, infoOf(name, entry, dataStart)]);
  });
  tensors.sort(([, a], [, b]) => a.begin - b.begin || a.end - b.end);
  let previousEnd = dataStart;
  for (const [name, info] of tensors) {
    checkInfo(name, info, previousEnd, dataStart);
    previousEnd = info.end;
  }
  if (previousEnd !== fileBytes) {
    throw new SafetensorsError(
      'METADATA_INCOMPLETE_BUFFER',
      `The tensors of the header end at byte ${previousEnd}, but the file has ${fileBytes} bytes. It is cut off, or has bytes that belong to no tensor.`,
    );
  }
  return { metadata, tensors: new Map(tensors) };
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new SafetensorsError('INVALID_HEADER', 'The header is not UTF-8 text.', { cause });
  }
}

function metadataOf(json: HeaderJson): ReadonlyMap<string, string> {
  if (json === undefined || json === null) return new Map();
  if (!(json instanceof Map)) throw deserialization('"__metadata__" in the header is not a JSON object.');
  for (const [key, value] of json) {
    if (typeof value !== 'string')
      throw deserialization(`"${key}" in "__metadata__" is not a string; the format has only strings there.`);
  }
  return json as Map<string, string>;
}

function infoOf(name: string, entry: HeaderJson, dataStart: number): TensorInfo {
  if (!(entry instanceof Map)) throw deserialization(`Tensor "${name}" is not a JSON object.`);
  const dtype = entry.get('dtype');
  const shape = entry.get('shape');
  const offsets = entry.get('data_offsets');
  if (!isDtype(dtype)) throw deserialization(`Tensor "${name}" has no dtype that the format knows.`);
  if (!isIntegers(shape))
    throw deserialization(`"shape" of tensor "${name}" is not a list of integers from 0.`);
  if (!isIntegers(offsets) || offsets.length !== 2)
    throw deserialization(`"data_offsets" of tensor "${name}" is not a pair of integers from 0.`);
  return { dtype, shape, begin: dataStart + offsets[0]!, end: dataStart + offsets[1]! };
}

/** Tensors lie one after the other without gap or overlap, and each has the bytes that its shape takes. */
function checkInfo(name: string, info: TensorInfo, previousEnd: number, dataStart: number): void {
  const { dtype, shape, begin, end } = info;
  if (begin !== previousEnd || end < begin) {
    const offsets = `[${begin - dataStart}, ${end - dataStart}]`;
    throw new SafetensorsError(
      'INVALID_OFFSET',
      `Tensor "${name}" has the offsets ${offsets}, but the tensor before it ends at ${previousEnd - dataStart}. Expected no gap and no overlap.`,
    );
  }
  const bytes = byteLengthOf(name, dtype, shape);
  if (end - begin !== bytes) {
    throw new SafetensorsError(
      'TENSOR_INVALID_INFO',
      `Tensor "${name}" of ${dtype} [${shape.join(', ')}] takes ${bytes} bytes, but its offsets give it ${end - begin}.`,
    );
  }
}

function isIntegers(value: HeaderJson): value is number[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'number');
}

function deserialization(message: string): SafetensorsError {
  return new SafetensorsError('INVALID_HEADER_DESERIALIZATION', message);
}

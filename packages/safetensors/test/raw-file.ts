/** A file made by hand: what a writer of ours would never write. */
export function rawFile(
  header: string | Uint8Array,
  data: number | Uint8Array = 0,
  length?: bigint,
): Uint8Array {
  const json = typeof header === 'string' ? new TextEncoder().encode(header) : header;
  const bytes = typeof data === 'number' ? new Uint8Array(data) : data;
  const file = new Uint8Array(8 + json.byteLength + bytes.byteLength);
  new DataView(file.buffer).setBigUint64(0, length ?? BigInt(json.byteLength), true);
  file.set(json, 8);
  file.set(bytes, 8 + json.byteLength);
  return file;
}

const ONE = '{"dtype":"F32","shape":[1],"data_offsets":[0,4]}';

function entry(dtype: string, shape: string, offsets: string): string {
  return `{"a":{"dtype":"${dtype}","shape":${shape},"data_offsets":${offsets}}}`;
}

/** By what is wrong with them: the file, and the error that names it. Python's reader refuses all of them, too. */
export const MALFORMED: Readonly<Record<string, readonly [file: Uint8Array, code: string]>> = {
  'nothing at all': [new Uint8Array(0), 'HEADER_TOO_SMALL'],
  'seven bytes': [new Uint8Array(7), 'HEADER_TOO_SMALL'],
  'a header above the limit': [rawFile('{}', 0, 100_000_001n), 'HEADER_TOO_LARGE'],
  'a header of 2^64 - 1 bytes': [rawFile('{}', 0, 2n ** 64n - 1n), 'HEADER_TOO_LARGE'],
  'a header longer than the file': [rawFile('{}', 0, 3n), 'INVALID_HEADER_LENGTH'],
  'a header that is no UTF-8': [rawFile(new Uint8Array([0x7b, 0xff, 0x7d])), 'INVALID_HEADER'],
  'UTF-8 that encodes a surrogate': [
    rawFile(new Uint8Array([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22])),
    'INVALID_HEADER',
  ],
  'an empty header': [rawFile(''), 'INVALID_HEADER_DESERIALIZATION'],
  'spaces for a header': [rawFile('        '), 'INVALID_HEADER_DESERIALIZATION'],
  'a byte order mark': [rawFile(`\ufeff{"a":${ONE}}`, 4), 'INVALID_HEADER_DESERIALIZATION'],
  'a list for a header': [rawFile('[]'), 'INVALID_HEADER_DESERIALIZATION'],
  'a number for a header': [rawFile('7'), 'INVALID_HEADER_DESERIALIZATION'],
  'two headers': [rawFile('{}{}'), 'INVALID_HEADER_DESERIALIZATION'],
  'a header that ends early': [rawFile('{"a":'), 'INVALID_HEADER_DESERIALIZATION'],
  'a string that ends early': [rawFile('{"a'), 'INVALID_HEADER_DESERIALIZATION'],
  'an escape at the end': [rawFile('{"a\\'), 'INVALID_HEADER_DESERIALIZATION'],
  'an escape that JSON does not know': [rawFile(`{"\\x":${ONE}}`, 4), 'INVALID_HEADER_DESERIALIZATION'],
  'a comma too many': [rawFile(`{"a":${ONE},}`, 4), 'INVALID_HEADER_DESERIALIZATION'],
  'a missing colon': [rawFile(`{"a"${ONE}}`, 4), 'INVALID_HEADER_DESERIALIZATION'],
  'a name without quotation marks': [rawFile(`{a:${ONE}}`, 4), 'INVALID_HEADER_DESERIALIZATION'],
  'a comment': [rawFile('{/**/}'), 'INVALID_HEADER_DESERIALIZATION'],
  NaN: [rawFile('{"a":NaN}'), 'INVALID_HEADER_DESERIALIZATION'],
  'a control character in a name': [rawFile(`{"a\n":${ONE}}`, 4), 'INVALID_HEADER_DESERIALIZATION'],
  'half a character in a name': [rawFile(`{"\\ud800":${ONE}}`, 4), 'INVALID_HEADER_DESERIALIZATION'],
  'a bottomless header': [rawFile(`{"a":${'['.repeat(300)}`), 'INVALID_HEADER_DESERIALIZATION'],
  'a tensor that is null': [rawFile('{"a":null}'), 'INVALID_HEADER_DESERIALIZATION'],
  'a field that is there twice': [
    rawFile(`{"a":{"dtype":"F32",${ONE.slice(1)}}`, 4),
    'INVALID_HEADER_DESERIALIZATION',
  ],
  'metadata that is there twice': [
    rawFile('{"__metadata__":{},"__metadata__":{}}'),
    'INVALID_HEADER_DESERIALIZATION',
  ],
  'metadata that is a list': [rawFile('{"__metadata__":[1]}'), 'INVALID_HEADER_DESERIALIZATION'],
  'metadata with a number': [rawFile('{"__metadata__":{"a":1}}'), 'INVALID_HEADER_DESERIALIZATION'],
  'no shape': [rawFile('{"a":{"dtype":"F32","data_offsets":[0,4]}}', 4), 'INVALID_HEADER_DESERIALIZATION'],
  'no offsets': [rawFile('{"a":{"dtype":"F32","shape":[1]}}', 4), 'INVALID_HEADER_DESERIALIZATION'],
  'an unknown dtype': [rawFile(entry('F33', '[1]', '[0,4]'), 4), 'INVALID_HEADER_DESERIALIZATION'],
  'a dtype in small letters': [rawFile(entry('f32', '[1]', '[0,4]'), 4), 'INVALID_HEADER_DESERIALIZATION'],
  'a shape with 1.0': [rawFile(entry('F32', '[1.0]', '[0,4]'), 4), 'INVALID_HEADER_DESERIALIZATION'],
  'a shape with 1e0': [rawFile(entry('F32', '[1e0]', '[0,4]'), 4), 'INVALID_HEADER_DESERIALIZATION'],
  'a shape with 01': [rawFile(entry('F32', '[01]', '[0,4]'), 4), 'INVALID_HEADER_DESERIALIZATION'],
  'a shape with -1': [rawFile(entry('F32', '[-1]', '[0,4]'), 4), 'INVALID_HEADER_DESERIALIZATION'],
  'a shape with "1"': [rawFile(entry('F32', '["1"]', '[0,4]'), 4), 'INVALID_HEADER_DESERIALIZATION'],
  'an offset of -0': [rawFile(entry('F32', '[1]', '[-0,4]'), 4), 'INVALID_HEADER_DESERIALIZATION'],
  'three offsets': [rawFile(entry('F32', '[1]', '[0,4,8]'), 4), 'INVALID_HEADER_DESERIALIZATION'],
  'offsets with a gap before': [rawFile(entry('F32', '[1]', '[4,8]'), 8), 'INVALID_OFFSET'],
  'offsets in the wrong order': [rawFile(entry('F32', '[1]', '[4,0]'), 4), 'INVALID_OFFSET'],
  'offsets that go back': [
    rawFile(`{"a":${ONE},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}`, 4),
    'INVALID_OFFSET',
  ],
  'tensors that share bytes': [rawFile(`{"a":${ONE},"b":${ONE}}`, 4), 'INVALID_OFFSET'],
  'tensors that overlap': [
    rawFile(`{"a":${ONE},"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}}`, 6),
    'INVALID_OFFSET',
  ],
  'a gap between tensors': [
    rawFile(`{"a":${ONE},"b":{"dtype":"F32","shape":[1],"data_offsets":[5,9]}}`, 9),
    'INVALID_OFFSET',
  ],
  'too few bytes for the shape': [rawFile(entry('F32', '[2]', '[0,4]'), 4), 'TENSOR_INVALID_INFO'],
  'too many bytes for the shape': [rawFile(entry('F32', '[1]', '[0,8]'), 8), 'TENSOR_INVALID_INFO'],
  'a shape beyond all numbers': [
    rawFile(entry('F32', `[${2 ** 32},${2 ** 32},${2 ** 32}]`, '[0,4]'), 4),
    'VALIDATION_OVERFLOW',
  ],
  'three numbers of four bits': [rawFile(entry('F4', '[3]', '[0,2]'), 2), 'MISALIGNED_SLICE'],
  'a byte after the last tensor': [rawFile(`{"a":${ONE}}`, 5), 'METADATA_INCOMPLETE_BUFFER'],
  'a byte too few': [rawFile(`{"a":${ONE}}`, 3), 'METADATA_INCOMPLETE_BUFFER'],
  'bytes and no tensor': [rawFile('{}', 1), 'METADATA_INCOMPLETE_BUFFER'],
};

/** Refused here because the format forbids it; the reference reader keeps the last of them. */
export const DUPLICATES: Readonly<Record<string, Uint8Array>> = {
  'a tensor that is there twice': rawFile(`{"a":${ONE},"a":${ONE}}`, 4),
  'a tensor without bytes that is there twice': rawFile(
    `{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"\\u0061":{"dtype":"I8","shape":[0],"data_offsets":[0,0]}}`,
  ),
  'a key of the metadata that is there twice': rawFile('{"__metadata__":{"a":"b","a":"c"}}'),
};

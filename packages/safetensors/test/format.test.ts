import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { runIsolated } from '@hookline/test-programs';
import { describe, expect, it } from 'vitest';
import { DTYPES } from '../src/dtypes.js';
import { encodeSafetensors, parseSafetensors, type Tensors } from '../src/index.js';
import { DUPLICATES, MALFORMED, rawFile } from './raw-file.js';

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function headerOf(file: Uint8Array): string {
  const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  return text(file.subarray(8, 8 + length));
}

describe('what is written', () => {
  it('is padded so that the data begins at a multiple of 8', () => {
    const file = encodeSafetensors({ attn0: { shape: [1, 1, 2, 3], data: new Float32Array(6) } });
    expect([...file.subarray(0, 8)]).toEqual([72, 0, 0, 0, 0, 0, 0, 0]);
    expect(text(file.subarray(8, 80))).toBe(
      '{"attn0":{"dtype":"F32","shape":[1,1,2,3],"data_offsets":[0,24]}}       ',
    );
    expect([...file.subarray(80)]).toEqual(new Array(24).fill(0));
  });

  it('begins with the metadata, then has wide dtypes before narrow ones, then goes by the bytes of the name', () => {
    const file = encodeSafetensors(
      {
        b: { shape: [2], data: new Float32Array(2) },
        '\u{1f600}': { shape: [1], data: new Int8Array(1) },
        '\ue000': { shape: [1], data: new Int8Array(1) },
        a: { shape: [3], data: new Int8Array(3) },
        c: { shape: [], data: new BigInt64Array(1) },
        'q"\\\x7f\u2028\x01é': { shape: [0, 2], data: new Float64Array(0) },
      },
      { metadata: { k: 'v' } },
    );
    // As Python's writer has it, to the byte.
    expect(headerOf(file)).toBe(
      '{"__metadata__":{"k":"v"},"c":{"dtype":"I64","shape":[],"data_offsets":[0,8]},"q\\"\\\\\x7f\u2028\\u0001é":{"dtype":"F64","shape":[0,2],"data_offsets":[8,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[8,16]},"a":{"dtype":"I8","shape":[3],"data_offsets":[16,19]},"\ue000":{"dtype":"I8","shape":[1],"data_offsets":[19,20]},"\u{1f600}":{"dtype":"I8","shape":[1],"data_offsets":[20,21]}}      ',
    );
  });

  it('is a file of 16 bytes when there is nothing to write', () => {
    expect(encodeSafetensors({})).toEqual(rawFile('{}      '));
  });

  it.each<[string, Tensors, RegExp, string]>([
    [
      'data of another type',
      { a: { dtype: 'F32', shape: [1], data: new Int32Array(1) } },
      /Int32Array/,
      'INVALID_TENSOR_VIEW',
    ],
    [
      'data of another size',
      { a: { shape: [3], data: new Float32Array(2) } },
      /needs 12 .* has 8/,
      'INVALID_TENSOR_VIEW',
    ],
    [
      'a plain array',
      { a: { shape: [1], data: [1] as unknown as Float32Array } },
      /plain array/,
      'INVALID_TENSOR_VIEW',
    ],
    [
      'an unknown dtype',
      { a: { dtype: 'F33' as 'F32', shape: [1], data: new Float32Array(1) } },
      /F33/,
      'INVALID_TENSOR_VIEW',
    ],
    [
      'a tensor named like the metadata',
      { __metadata__: { shape: [1], data: new Int8Array(1) } },
      /named/,
      'INVALID_TENSOR_VIEW',
    ],
    [
      'half a character in a name',
      { '\ud800': { shape: [1], data: new Int8Array(1) } },
      /half/,
      'INVALID_HEADER',
    ],
    ['half a number', { a: { shape: [1.5], data: new Int8Array(1) } }, /1\.5/, 'VALIDATION_OVERFLOW'],
    [
      'an odd number of half bytes',
      { a: { dtype: 'F4', shape: [3], data: new Uint8Array(2) } },
      /12 bits/,
      'MISALIGNED_SLICE',
    ],
  ])('is never %s', (_, tensors, message, code) => {
    expect(() => encodeSafetensors(tensors)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });

  it('has only strings in its metadata', () => {
    const metadata = { step: 3 } as unknown as Record<string, string>;
    expect(() => encodeSafetensors({}, { metadata })).toThrow(/"step" of the metadata is number/);
  });
});

describe('what was written', () => {
  it('is read back with every dtype, as the array that fits it', () => {
    const bytes = Uint8Array.from({ length: 48 }, (_, index) => index * 5);
    const tensors = new Map(
      DTYPES.map((dtype) => [`t/${dtype}`, { dtype, shape: shapeOf(dtype), data: bytes }]),
    );
    const read = parseSafetensors(encodeSafetensors(tensors)).tensors;
    expect(read.size).toBe(22);
    for (const [name, { dtype, shape, data }] of read) {
      expect([name, shape]).toEqual([`t/${dtype}`, shapeOf(dtype)]);
      expect(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)).toEqual(bytes);
    }
    const kinds = Object.fromEntries(
      [...read.values()].map(({ dtype, data }) => [dtype, data.constructor.name]),
    );
    expect(kinds).toEqual({
      ...Object.fromEntries(DTYPES.map((dtype) => [dtype, 'Uint8Array'])),
      I8: 'Int8Array',
      I16: 'Int16Array',
      U16: 'Uint16Array',
      I32: 'Int32Array',
      U32: 'Uint32Array',
      F32: 'Float32Array',
      C64: 'Float32Array',
      F64: 'Float64Array',
      I64: 'BigInt64Array',
      U64: 'BigUint64Array',
    });
  });

  it('keeps every bit of NaN, infinity and minus zero', () => {
    const bits = new Uint32Array([0x7fc00001, 0xffc12345, 0x7f800000, 0xff800000, 0x80000000, 1]);
    const file = encodeSafetensors({ a: { shape: [6], data: new Float32Array(bits.buffer) } });
    const { data } = parseSafetensors(file).tensors.get('a')!;
    expect(new Uint32Array(data.buffer, data.byteOffset, 6)).toEqual(bits);
  });

  it('is looked at where it lies, and copied only where no array could look at it', () => {
    const file = encodeSafetensors({ a: { shape: [2], data: new Float32Array([1, 2]) } });
    expect(parseSafetensors(file).tensors.get('a')!.data.buffer).toBe(file.buffer);
    const shifted = new Uint8Array(file.byteLength + 1);
    shifted.set(file, 1);
    const { data } = parseSafetensors(Buffer.from(shifted.buffer, 1)).tensors.get('a')!;
    expect([...data]).toEqual([1, 2]);
    expect(data.buffer).not.toBe(shifted.buffer);
  });

  it('may have any name, also one that JavaScript gives a meaning to', () => {
    const names = ['__proto__', 'constructor', 'toString', '', '/', 'ü/\u0000', '0'];
    const tensors = new Map(names.map((name, index) => [name, { shape: [1], data: new Int8Array([index]) }]));
    const metadata = new Map(names.map((name) => [name, `${name}!`]));
    const read = parseSafetensors(encodeSafetensors(tensors, { metadata }));
    expect(new Set(read.tensors.keys())).toEqual(new Set(names));
    for (const [index, name] of names.entries()) expect([...read.tensors.get(name)!.data]).toEqual([index]);
    expect(read.metadata).toEqual(metadata);
  });

  it('may come from another realm', () => {
    const data = runInNewContext('new Float32Array([1, 2])') as Float32Array;
    expect([
      ...parseSafetensors(encodeSafetensors({ a: { shape: [2], data } })).tensors.get('a')!.data,
    ]).toEqual([1, 2]);
  });

  it('may be part of a larger array', () => {
    const data = new Float32Array([0, 1, 2, 3]).subarray(1, 3);
    expect([
      ...parseSafetensors(encodeSafetensors({ a: { shape: [2], data } })).tensors.get('a')!.data,
    ]).toEqual([1, 2]);
  });
});

describe('what others wrote', () => {
  const one = '{"dtype":"F32","shape":[1],"data_offsets":[0,4]}';

  it.each([
    ['white space around the header', ` \n\t{"a":${one}}\r\n `],
    ['a header that is not padded', `{"a":${one}}`],
    ['fields that the format does not know', `{"a":{"x":[{"y":-1.5e3}],${one.slice(1)}}`],
    ['metadata that is null', `{"a":${one},"__metadata__":null}`],
    ['escapes in a name', `{"\\u0061":${one}}`],
    [
      'tensors in any order, and empty ones',
      `{"z":{"dtype":"U8","shape":[0,9],"data_offsets":[4,4]},"a":${one},"b":{"dtype":"F64","shape":[0],"data_offsets":[0,0]}}`,
    ],
  ])('may have %s', (_, header) => {
    const { tensors } = parseSafetensors(rawFile(header, Uint8Array.from([0, 0, 0x80, 0x3f])));
    expect([...tensors.get('a')!.data]).toEqual([1]);
  });

  it.each(Object.entries(MALFORMED))('is refused by name for %s', (_, [file, code]) => {
    expect(() => parseSafetensors(file)).toThrow(expect.objectContaining({ name: 'SafetensorsError', code }));
  });

  it.each(Object.entries(DUPLICATES))('is refused for %s', (_, file) => {
    const error = expect.objectContaining({
      code: 'INVALID_HEADER_DESERIALIZATION',
      message: expect.stringContaining('twice'),
    });
    expect(() => parseSafetensors(file)).toThrow(error);
  });

  it('is refused when the header is longer than you allow', () => {
    const file = encodeSafetensors({ a: { shape: [1], data: new Float32Array(1) } });
    expect(() => parseSafetensors(file, { maxHeaderBytes: 10 })).toThrow(/limit is 10/);
  });

  it('is refused at its first bad tensor, before the rest of the header takes memory', () => {
    const members = Array.from({ length: 1000 }, (_, index) => `"t${index}":{}`);
    const file = rawFile(`{${members.join(',')} and then no JSON`);
    expect(() => parseSafetensors(file)).toThrow(/Tensor "t0" has no dtype/);
  });

  it('is refused at a list in the place of a tensor, before the list takes memory', () => {
    expect(() => parseSafetensors(rawFile('{"a":[{},{} and then no JSON'))).toThrow(
      /Tensor "a" is not a JSON object/,
    );
  });

  it('takes little more memory than its text, whatever a field that the format does not know holds', async () => {
    const { value, output } = await runIsolated<number[]>(
      fileURLToPath(new URL('..', import.meta.url)),
      `import { parseSafetensors } from './src/index.ts';
       const megabytes = ['{}', '[]', '"text"'].map((item) => {
         const entry = '{"dtype":"U8","shape":[0],"data_offsets":[0,0],"x":[' + (item + ',').repeat(2e6) + '1]}';
         const header = Buffer.from('{"a":' + entry + '}');
         const file = Buffer.alloc(8 + header.length);
         file.writeBigUInt64LE(BigInt(header.length));
         header.copy(file, 8);
         const before = process.resourceUsage().maxRSS;
         parseSafetensors(file);
         return (process.resourceUsage().maxRSS - before) / 1024;
       });
       report(megabytes);`,
    );
    expect(value, output).toHaveLength(3);
    // Objects of a map or a list each would take hundreds of megabytes.
    expect(Math.max(...value)).toBeLessThan(120);
  });

  it('may have fields that the format does not know, however deep they are', () => {
    const entry = '{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":{"y":[{"z":{}},[[]]]}}';
    expect([...parseSafetensors(rawFile(`{"a":${entry}}`, 4)).tensors.keys()]).toEqual(['a']);
  });

  it('is refused wherever it was cut off', () => {
    const file = encodeSafetensors({
      a: { shape: [3], data: new Float32Array(3) },
      b: { shape: [1], data: new Uint8Array(1) },
    });
    for (let length = 0; length < file.byteLength; length++) {
      expect(() => parseSafetensors(file.subarray(0, length)), `${length} bytes`).toThrow(/./);
    }
  });
});

it('runs in a browser: nothing of the main entry needs Node', () => {
  const folder = fileURLToPath(new URL('../src', import.meta.url));
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts') && name !== 'node.ts');
  expect(sources.length).toBeGreaterThan(5);
  for (const name of sources) {
    const source = readFileSync(join(folder, name), 'utf8');
    expect(source, name).not.toMatch(/from '(node:|\.\/node)/);
    expect(source, name).not.toMatch(/\b(Buffer|process)\./);
  }
});

function shapeOf(dtype: string): number[] {
  if (dtype === 'F4') return [96];
  if (dtype.startsWith('F6_')) return [16, 4];
  if (/64/.test(dtype)) return [2, 3];
  if (/32/.test(dtype)) return [12];
  return /16/.test(dtype) ? [4, 2, 3] : [48];
}

import { crc32 as zlibCrc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { crc32 } from '../src/zip/crc32.js';
import { readZip, writeZip } from '../src/zip/zip.js';
import { bytesOf } from './support/expecting.js';

const FILES = new Map([
  ['run.json', new TextEncoder().encode('{}')],
  ['checkpoints/last/model.safetensors', bytesOf(3000)],
  ['größe.txt', new Uint8Array()],
]);

/** A folder and a file in it, by Python's zipfile. The other direction is in the Python check. */
const MADE_BY_PYTHON = [
  'UEsDBBQAAAAAAAAAIQAAAAAAAAAAAAAAAAACAAAAYS9QSwMEFAAACAAAAAAhAJxmaTQLAAAACwAAAAgAAABhL8O8Ln',
  'R4dGZyb20gUHl0aG9uUEsBAhQDFAAAAAAAAAAhAAAAAAAAAAAAAAAAAAIAAAAAAAAAAAAAAIABAAAAAGEvUEsBAhQD',
  'FAAACAAAAAAhAJxmaTQLAAAACwAAAAgAAAAAAAAAAAAAAIABIAAAAGEvw7wudHh0UEsFBgAAAAACAAIAZgAAAFEAAA',
  'AAAA==',
].join('');

test('the checksum is that of zlib', () => {
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
  expect(crc32(new Uint8Array())).toBe(0);
  for (const length of [1, 2, 255, 256, 70_000]) {
    const bytes = bytesOf(length);
    // Node has it from 20.15 on.
    expect(crc32(bytes)).toBe(zlibCrc32(bytes));
  }
});

describe('a zip', () => {
  test('has the files that were put in, in their order, and the same bytes each time', () => {
    const zip = writeZip(FILES);
    expect([...readZip(zip)]).toEqual([...FILES]);
    expect(writeZip(FILES)).toEqual(zip);
    expect([...readZip(writeZip(new Map()))]).toEqual([]);
  });

  test('is read from the middle of a larger memory', () => {
    const zip = writeZip(FILES);
    const memory = new Uint8Array(zip.length + 100);
    memory.set(zip, 37);
    expect([...readZip(memory.subarray(37, 37 + zip.length))]).toEqual([...FILES]);
  });

  test('gives copies, so that the whole download need not be kept', () => {
    const files = readZip(writeZip(FILES));
    for (const bytes of files.values()) expect(bytes.buffer.byteLength).toBe(bytes.length);
  });

  test('of another program is read', () => {
    const files = readZip(new Uint8Array(Buffer.from(MADE_BY_PYTHON, 'base64')));
    expect([...files.keys()]).toEqual(['a/ü.txt']);
    expect(new TextDecoder().decode(files.get('a/ü.txt'))).toBe('from Python');
  });

  test('may have a comment at its end', () => {
    const zip = writeZip(FILES);
    const longer = new Uint8Array(zip.length + 5);
    longer.set(zip);
    longer.set(new TextEncoder().encode('hello'), zip.length);
    new DataView(longer.buffer).setUint16(zip.length - 2, 5, true);
    expect([...readZip(longer).keys()]).toEqual([...FILES.keys()]);
  });

  test('with compressed files is refused, and says what to do', () => {
    const zip = writeZip(FILES);
    const list = new DataView(zip.buffer).getUint32(zip.length - 6, true);
    new DataView(zip.buffer).setUint16(list + 10, 8, true);
    expect(() => readZip(zip)).toThrow(/"run\.json" is compressed; pack it without compression/);
  });

  test('of more files than it can count is refused', () => {
    const many = new Map(Array.from({ length: 65_536 }, (_, i) => [`${i}`, new Uint8Array()]));
    expect(() => writeZip(many)).toThrow(/at most 4 GB in 65,535 files/);
  });

  test('that was cut off anywhere is BAD_ZIP', () => {
    const zip = writeZip(FILES);
    for (let length = 0; length < zip.length; length += 7) {
      expect(codeOf(zip.subarray(0, length)), `${length} of ${zip.length} bytes`).toBe('BAD_ZIP');
    }
  });

  test('with a bit that was flipped is BAD_ZIP, or has the same files', () => {
    const zip = writeZip(FILES);
    let refused = 0;
    for (let at = 0; at < zip.length; at++) {
      const flipped = zip.slice();
      flipped[at]! ^= 1 << (at % 8);
      const code = codeOf(flipped);
      expect(['BAD_ZIP', 'read'], `byte ${at}`).toContain(code);
      if (code === 'BAD_ZIP') refused++;
      else for (const bytes of readZip(flipped).values()) expect(isOurs(bytes), `byte ${at}`).toBe(true);
    }
    expect(refused).toBeGreaterThan(3000);
  });
});

function codeOf(zip: Uint8Array): unknown {
  try {
    readZip(zip);
    return 'read';
  } catch (error) {
    return (error as { code?: string }).code ?? error;
  }
}

function isOurs(bytes: Uint8Array): boolean {
  return [...FILES.values()].some(
    ({ length }, i) => length === bytes.length && same(bytes, [...FILES.values()][i]!),
  );
}

function same(one: Uint8Array, other: Uint8Array): boolean {
  return one.every((byte, i) => byte === other[i]);
}

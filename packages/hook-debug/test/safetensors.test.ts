import type { HostTensor } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { decodeTensors, encodeTensors } from '../src/safetensors.js';

test('the bytes are those of the documented layout: header length, padded JSON, data', () => {
  const data = new Float32Array([0, 1, 2, 3, 4, 5]);
  const file = encodeTensors({ attn0: { dtype: 'float32', shape: [1, 1, 2, 3], data } });
  const json = '{"attn0":{"dtype":"F32","shape":[1,1,2,3],"data_offsets":[0,24]}}';
  expect([...file.subarray(0, 8)]).toEqual([72, 0, 0, 0, 0, 0, 0, 0]);
  expect(new TextDecoder().decode(file.subarray(8, 80))).toBe(json.padEnd(72, ' '));
  expect(new Float32Array(file.slice(80).buffer)).toEqual(data);
});

const tensors: Record<string, HostTensor> = {
  flags: { dtype: 'bool', shape: [3], data: new Uint8Array([1, 0, 1]) },
  'dense/kernel': { dtype: 'float32', shape: [2, 1], data: new Float32Array([Number.NaN, -Infinity]) },
  counts: { dtype: 'int32', shape: [], data: new Int32Array([-7]) },
  empty: { dtype: 'float32', shape: [0, 4], data: new Float32Array(0) },
  ['__proto__']: { dtype: 'int32', shape: [1], data: new Int32Array([5]) },
};

test('what was written is read again, NaN, scalars, empty tensors and strange names included', () => {
  const file = encodeTensors(tensors);
  // Read at an odd place, as part of something larger.
  const inside = new Uint8Array(file.length + 3);
  inside.set(file, 3);
  const read = decodeTensors(inside.subarray(3), 'file');
  expect(read.size).toBe(Object.keys(tensors).length);
  for (const [name, tensor] of Object.entries(tensors)) expect(read.get(name)).toEqual(tensor);
});

test('a file that is cut off anywhere, or too long, is refused', () => {
  const file = encodeTensors(tensors);
  for (let length = 0; length < file.length; length++) {
    expect(() => decodeTensors(file.subarray(0, length), 'x.safetensors')).toThrow(
      /^x\.safetensors is no whole safetensors file/,
    );
  }
  const long = new Uint8Array(file.length + 1);
  long.set(file);
  expect(() => decodeTensors(long, 'x')).toThrow(/something follows its data/);
});

test.each([
  ['is no JSON', '{"a":'],
  ['an unknown dtype', '{"a":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}}'],
  ['a shape that is not the size of the data', '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}'],
  ['a gap', '{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}'],
  ['a negative size', '{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,-4]}}'],
  ['no offsets', '{"a":{"dtype":"F32","shape":[1]}}'],
  ['no shape', '{"a":{"dtype":"F32","data_offsets":[0,4]}}'],
  ['no object', '{"a":null}'],
])('a header with %s is refused', (_problem, header) => {
  const json = new TextEncoder().encode(header);
  const file = new Uint8Array(8 + json.length + 4);
  new DataView(file.buffer).setBigUint64(0, BigInt(json.length), true);
  file.set(json, 8);
  expect(() => decodeTensors(file, 'x')).toThrow(/x is no whole safetensors file/);
});

import { errorOf, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Column, FlatColumn, samplesOf } from '../../src/table/columns.js';
import { expectError } from '../plain-batches.js';

const values = [1, 2, 3, 4, 5, 6];

describe.each(['cpu', 'wasm'] as const)('on %s', (backend) => {
  beforeAll(() => useBackend(backend));

  const columns: [string, () => Column | FlatColumn][] = [
    ['a tensor', () => tf.tensor2d(values, [3, 2])],
    ['a tensor of int32', () => tf.tensor2d(values, [3, 2], 'int32')],
    ['nested arrays', () => [values.slice(0, 2), values.slice(2, 4), values.slice(4)]],
    ['a typed array', () => Float64Array.from(values)],
    ['bytes', () => Uint8Array.from(values)],
    ['a flat column', () => new FlatColumn(Float32Array.from(values), [2])],
  ];

  test.each(columns)('%s is sliced and gathered by sample', async (_name, make) => {
    const samples = samplesOf(make(), 'xs', [2]);
    expect(samples.count).toBe(3);
    expect(samples.slice(1, 2).arraySync()).toEqual([
      [3, 4],
      [5, 6],
    ]);
    expect(samples.gather(Int32Array.of(2, 0, 2)).arraySync()).toEqual([
      [5, 6],
      [1, 2],
      [5, 6],
    ]);
    expect([...samples.hostValues()!]).toEqual(values);
    expect([...(await samples.values())]).toEqual(values);
  });

  test('wide rows are copied whole, too', () => {
    const wide = Float32Array.from({ length: 300 }, (_, i) => i);
    const samples = samplesOf(wide, 'xs', [100]);
    expect([...samples.gather(Int32Array.of(2, 1)).dataSync()]).toEqual([
      ...wide.slice(200, 300),
      ...wide.slice(100, 200),
    ]);
  });

  test('int32 stays int32, everything else becomes float32', () => {
    const typeOf = (column: Column) => samplesOf(column, 'xs', []).slice(0, 1).dtype;
    expect(typeOf(Int32Array.of(1))).toBe('int32');
    expect(typeOf(tf.tensor1d([1], 'int32'))).toBe('int32');
    expect(typeOf(Uint32Array.of(1))).toBe('float32');
    expect(typeOf([1])).toBe('float32');
    expect(typeOf([true])).toBe('float32');
  });
});

describe('the shape of a sample in a typed array', () => {
  beforeAll(() => useBackend('cpu'));
  const shapeOf = (length: number, expected: (number | null)[] | undefined, count?: number) =>
    samplesOf(new Float32Array(length), 'ys', expected, count).slice(0, 1).shape;

  test('is the expected one where it fits', () => {
    expect(shapeOf(24, [2, 3])).toEqual([1, 2, 3]);
    expect(shapeOf(24, [2, 3], 4)).toEqual([1, 2, 3]);
  });

  test('follows from the number of samples where it does not', () => {
    expect(shapeOf(8, [3], 4)).toEqual([1, 2]);
    expect(shapeOf(4, [3], 4)).toEqual([1]);
    expect(shapeOf(8, [null], 4)).toEqual([1, 2]);
    expect(shapeOf(8, undefined, 4)).toEqual([1, 2]);
  });

  test('of a flat column is its own, unless the expected one has the same size', () => {
    const shape = (expected: (number | null)[] | undefined) =>
      samplesOf(new FlatColumn(new Float32Array(12), [6]), 'xs', expected).slice(0, 1).shape;
    expect([shape(undefined), shape([2, 3]), shape([4]), shape([null, 3])]).toEqual([
      [1, 6],
      [1, 2, 3],
      [1, 6],
      [1, 6],
    ]);
  });
});

describe('what cannot be a column is named with its path', () => {
  beforeAll(() => useBackend('cpu'));

  test.each<[string, () => unknown, number[] | undefined, number | undefined, string[]]>([
    [
      'a single number',
      () => tf.scalar(1),
      undefined,
      undefined,
      ['xs/a is a single number', 'first dimension'],
    ],
    [
      'text in a tensor',
      () => tf.tensor1d(['a']),
      undefined,
      undefined,
      ['tensor of string', 'place in a list'],
    ],
    ['complex numbers', () => tf.complex([1], [1]), undefined, undefined, ['tensor of complex64']],
    ['text in arrays', () => [[1], ['a']], undefined, undefined, ['must hold numbers', 'sample 1 has "a"']],
    ['null in arrays', () => [[null]], undefined, undefined, ['sample 0 has null']],
    ['an uneven array', () => [[1, 2], [3]], undefined, undefined, ['sample 1', 'shape [2]']],
    ['an array within numbers', () => [1, [2]], undefined, undefined, ['sample 1', 'shape []']],
    ['an object', () => ({}), undefined, undefined, ['must be a tensor, a typed array or nested arrays']],
    [
      'an unknown shape',
      () => new Float32Array(6),
      undefined,
      undefined,
      ['unknown', "shapes: { 'xs/a': [...] }"],
    ],
    ['values that do not fit', () => new Float32Array(7), [2, 3], undefined, ['7 values', 'multiple of 6']],
    ['values that cannot be split', () => new Float32Array(7), [2], 3, ['7 values', '3 samples']],
  ])('%s', async (_name, make, expected, count, parts) => {
    const error = await errorOf(() => samplesOf(make() as Column, 'xs/a', expected, count));
    expectError(error, 'BAD_DATA', 'xs/a', ...parts);
  });
});

import '@hookline/trainer'; // registers a backend
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { countNonFinite, describeValues, nonFiniteAmong } from '../src/check/non-finite-values.js';

beforeAll(() => tf.setBackend('cpu'));

describe('what is wrong in a tensor', () => {
  test('is counted by kind, with the position of the first bad value', () => {
    const values = [1, 2, 3, Infinity, Number.NaN, -Infinity];
    expect(countNonFinite('w', values, [2, 3])).toEqual({
      path: 'w',
      nan: 1,
      infinite: 2,
      size: 6,
      first: [1, 0],
    });
  });

  test('is nothing where all values are finite, or where there are none', () => {
    expect(countNonFinite('w', [0, -0, 1e-45, 3.4e38], [4])).toBeUndefined();
    expect(countNonFinite('w', [], [0, 3])).toBeUndefined();
  });

  test('has a position in any number of dimensions', () => {
    const values = new Float32Array(24);
    values[17] = Number.NaN;
    expect(countNonFinite('w', values, [2, 3, 4])!.first).toEqual([1, 1, 1]);
    expect(countNonFinite('w', [Number.NaN], [])!.first).toEqual([]);
  });

  test('does not concern text', () => {
    expect(countNonFinite('words', ['NaN', 'Infinity'], [2])).toBeUndefined();
  });

  test.each([
    [
      { nan: 3, infinite: 1, size: 640, first: [5, 0] },
      '3 NaN and 1 infinite of 640 values, first at [5, 0]',
    ],
    [{ nan: 1, infinite: 0, size: 1, first: [0] }, '1 NaN of 1 value, first at [0]'],
    [{ nan: 0, infinite: 2, size: 2, first: [0] }, '2 infinite of 2 values, first at [0]'],
    [{ nan: 1, infinite: 0, size: 1, first: [] }, '1 NaN of 1 value'],
  ])('is described for people', (found, text) => {
    expect(describeValues(found)).toBe(text);
  });

  test('is told apart from the tensors that are fine, in the order given', async () => {
    const tensors = {
      good: tf.tensor1d([1, 2]),
      bad: tf.tensor1d([1, Number.NaN]),
      whole: tf.tensor1d([1, 2], 'int32'),
      worse: tf.tensor2d([[Infinity], [Number.NaN]]),
    };
    const found = await nonFiniteAmong(Object.entries(tensors));
    expect(found.map(({ path, first }) => [path, first])).toEqual([
      ['bad', [1]],
      ['worse', [0, 0]],
    ]);
    tf.dispose(tensors);
  });
});

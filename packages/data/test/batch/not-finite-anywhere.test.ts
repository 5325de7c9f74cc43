import { errorOf, useBackend } from '@hookline/test-support';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkValues } from '../../src/batch/check-values.js';
import type { NumberArray } from '../../src/table/number-array.js';

beforeAll(() => useBackend('cpu'));

const OPTIONS = { read: false, outputs: undefined };

function check(values: NumberArray, samples = values.length, options = OPTIONS): void | Promise<void> {
  const column = { path: 'xs', samples, hostValues: () => values, values: () => values };
  return checkValues([column], 'The data', options);
}

// Sums are taken four at a time, so that the last few are another case.
describe.each([1, 2, 3, 4, 5, 7, 8, 9])('of %i numbers', (length) => {
  test.each([Number.NaN, Infinity, -Infinity])('a single %d is found wherever it is', async (bad) => {
    for (const type of [Float32Array, Float64Array]) {
      for (let place = 0; place < length; place++) {
        const values = new type(length).fill(-3);
        values[place] = bad;
        const error = await errorOf(() => check(values));
        expect(error.code).toBe('BAD_DATA');
        expect(error.message).toContain(`xs has 1, the first (${bad}) in sample ${place}.`);
      }
    }
  });
});

test('infinities of both signs do not cancel out', async () => {
  const error = await errorOf(() => check(Float32Array.of(Infinity, 1, 2, 3, -Infinity)));
  expect(error.message).toContain('xs has 2, the first (Infinity) in sample 0.');
});

test('the place is that of the sample and of the value within it', async () => {
  const values = new Float32Array(12);
  values[10] = Number.NaN;
  expect((await errorOf(() => check(values, 4))).message).toContain('(NaN) in sample 3, value 1.');
});

test.each<[string, NumberArray]>([
  ['the largest and the smallest', Float32Array.of(3.4e38, -3.4e38, 1e-45, -0)],
  ['integers, which are all finite', Int32Array.of(2 ** 31 - 1, -(2 ** 31))],
  ['bytes', Uint8Array.of(0, 255)],
  ['no numbers', new Float32Array(0)],
])('%s are let through', (_what, values) => {
  expect(check(values)).toBeUndefined();
});

test('values on a device are read only where that is asked for', async () => {
  const values = async () => Float32Array.of(Number.NaN);
  const column = { path: 'xs', samples: 1, hostValues: () => undefined, values };
  expect(checkValues([column], 'The data', OPTIONS)).toBeUndefined();
  const error = await errorOf(() => checkValues([column], 'The data', { ...OPTIONS, read: true }));
  expect(error.message).toMatch(/^The data has values that are not finite: xs has 1/);
});

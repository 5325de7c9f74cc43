import { errorOf, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, test } from 'vitest';
import { combine, csv, DataLoader, loadersOf } from '../src/index.js';
import { epochOf } from './plain-batches.js';

beforeAll(() => useBackend('cpu'));

const defaults = { batchSize: 2, shuffle: false, seed: 1, shapes: undefined };
const data = (value: unknown) => loadersOf(value as never, 'train', defaults);
const table = (xs: unknown) => epochOf(new DataLoader({ xs, ys: [[1], [2]] } as never));

test.each<[string, () => unknown, string, ...string[]]>([
  [
    'data that is still a promise',
    () => data(Promise.resolve({ xs: [[1]] })),
    'BAD_DATA',
    'train is a promise. Await it before you pass it.',
  ],
  [
    'a function of data that was not called, in a list of sources',
    () => data({ first: { xs: [[1]] }, second: Promise.resolve({ xs: [[1]] }) }),
    'BAD_DATA',
    'second',
  ],
  [
    'text among the numbers, with the sample it is in',
    () =>
      table([
        [1, 2],
        [3, '4'],
      ]),
    'BAD_DATA',
    'xs must hold numbers, but sample 1 has "4".',
  ],
  [
    'a hole among the numbers',
    () =>
      table([
        [1, 2],
        [3, undefined],
      ]),
    'BAD_DATA',
    'sample 1 has undefined',
  ],
  [
    'a type of CSV columns that tfjs does not train with',
    () => csv('data.csv', { dtype: 'float64' as never }),
    'BAD_OPTIONS',
    'csv(): dtype is "float64", expected "float32" or "int32".',
  ],
  [
    'the same for the labels, by the name of that option',
    () => csv('data.csv', { labelDtype: 'bool' as never }),
    'BAD_OPTIONS',
    'csv(): labelDtype is "bool"',
  ],
  [
    'a strategy with a mistake in its name, with the nearest one',
    () => combine({ a: [], b: [] }, { strategy: 'roundrobin' as never }),
    'BAD_OPTIONS',
    'combine(): strategy is "roundrobin". Did you mean "roundRobin"?',
    'Expected one of: ',
  ],
  [
    'an unknown wish for what happens when a loader is exhausted',
    () => combine({ a: [], b: [] }, { whenExhausted: 'repeat' as never }),
    'BAD_OPTIONS',
    'combine(): whenExhausted is "repeat".',
    'restart',
  ],
])('%s is refused, and the error says what to write instead', async (_what, work, code, ...parts) => {
  const before = tf.memory().numTensors;
  const error = await errorOf(async () => work());
  expect(error.code, error.message).toBe(code);
  for (const part of parts) expect(error.message).toContain(part);
  expect(tf.memory().numTensors).toBe(before);
});

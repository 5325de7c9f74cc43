import { expect, test } from 'vitest';
import { chunksOf, metricsOf, paramsOf, tagOf } from '../../src/mlflow/entities.js';

const AT = { time: 1000, step: 5 };

test('numbers that are not finite are set apart by name', () => {
  const { sent, notFinite } = metricsOf({ a: 1, b: Number.NaN, c: -Infinity, d: -0.5 }, AT);
  expect(sent).toEqual([
    { key: 'a', value: 1, timestamp: 1000, step: 5 },
    { key: 'd', value: -0.5, timestamp: 1000, step: 5 },
  ]);
  expect(notFinite).toEqual(['b', 'c']);
});

test.each([
  ['val/loss', 'val/loss'],
  ['a b:c-d.e_f', 'a b:c-d.e_f'],
  ['a"b"', 'a_b_'],
  ['損失', '__'],
  ['a//b', 'a/_/b'],
  ['/a', '_/a'],
  ['a/../b', 'a/_../b'],
])('the name %s is sent as %s, which servers accept', (name, key) => {
  expect(metricsOf({ [name]: 1 }, AT).sent[0]!.key).toBe(key);
});

test('names, params and tags are cut to what every server accepts', () => {
  expect(metricsOf({ ['x'.repeat(300)]: 1 }, AT).sent[0]!.key).toHaveLength(250);
  expect(paramsOf({ text: 'x'.repeat(600), flag: true })).toEqual([
    { key: 'text', value: 'x'.repeat(500) },
    { key: 'flag', value: 'true' },
  ]);
  expect(tagOf('reason', 'x'.repeat(6000)).value).toHaveLength(5000);
});

test('chunks hold everything, in order, and never more than they may', () => {
  const items = Array.from({ length: 2500 }, (_, i) => i);
  const chunks = chunksOf(items, 1000);
  expect(chunks.map(({ length }) => length)).toEqual([1000, 1000, 500]);
  expect(chunks.flat()).toEqual(items);
  expect(chunksOf([], 1000)).toEqual([]);
});

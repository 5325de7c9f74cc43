import { expect, test } from 'vitest';
import { jsonFields } from '../src/json-fields.js';

test('numbers that JSON cannot hold become strings that turn back into them', () => {
  const { json, finite } = jsonFields({ loss: Number.NaN, metrics: { a: Infinity, b: -Infinity, c: 1.5 } });
  expect(json).toEqual({ loss: 'NaN', metrics: { a: 'Infinity', b: '-Infinity', c: 1.5 } });
  expect(finite).toBe(false);
  const read = JSON.parse(JSON.stringify(json));
  expect([read.loss, read.metrics.a, read.metrics.b].map(Number)).toEqual([Number.NaN, Infinity, -Infinity]);
});

test('everything else stays as it is', () => {
  const fields = { epoch: 0, text: 'NaN?', none: null, flag: false, metrics: {} };
  expect(jsonFields(fields)).toEqual({ json: fields, finite: true });
});

import { expect, test } from 'vitest';
import { finiteFields } from '../../src/json/finite-fields.js';

test('numbers that JSON cannot hold become strings that turn back into them', () => {
  const { json, allFinite } = finiteFields({
    loss: Number.NaN,
    metrics: { a: Infinity, b: -Infinity, c: 1.5 },
  });
  expect(json).toEqual({ loss: 'NaN', metrics: { a: 'Infinity', b: '-Infinity', c: 1.5 } });
  expect(allFinite).toBe(false);
  const read = JSON.parse(JSON.stringify(json));
  expect([read.loss, read.metrics.a, read.metrics.b].map(Number)).toEqual([Number.NaN, Infinity, -Infinity]);
});

test('everything else stays as it is', () => {
  const fields = { epoch: 0, text: 'NaN?', none: null, flag: false, metrics: {} };
  expect(finiteFields(fields)).toEqual({ json: fields, allFinite: true });
});

import { expect, test } from 'vitest';
import { fieldsOf, listOf, metricsOf, numberOf, parseLine, textOf } from '../src/log-line.js';

test('a line is an object with an event, whatever else it holds', () => {
  expect(parseLine('{"event":"log","step":1}')).toEqual({ event: 'log', step: 1 });
  for (const text of ['', 'null', '7', '[]', '{}', '{"event":7}', '{"event":"log"', '"event"']) {
    expect(parseLine(text)).toBeUndefined();
  }
});

test('a number is a number, or the name of one that JSON has not', () => {
  expect([1.5, 0, -0, 'NaN', 'Infinity', '-Infinity'].map(numberOf)).toEqual([
    1.5,
    0,
    -0,
    NaN,
    Infinity,
    -Infinity,
  ]);
  expect(['1', 'nan', '', null, undefined, true, [1], {}].map(numberOf)).toEqual(Array(8).fill(undefined));
});

test('metrics are the numbers among the fields', () => {
  expect(metricsOf({ a: 1, b: 'NaN', c: 'x', d: null })).toEqual({ a: 1, b: Number.NaN });
  for (const value of [null, undefined, 7, 'text', []]) expect(metricsOf(value)).toEqual({});
});

test('text, lists and fields of anything else are absent or empty', () => {
  expect([textOf('a'), textOf(7), textOf(null)]).toEqual(['a', undefined, undefined]);
  expect([listOf([1]), listOf('ab'), listOf({ length: 1 })]).toEqual([[1], [], []]);
  expect(fieldsOf(null).anything).toBeUndefined();
  expect(fieldsOf({ a: 1 }).a).toBe(1);
});

import { expect, test } from 'vitest';
import { isForbidden, parsePath, pathText } from '../../src/config/config-path.js';

test.each([
  ['seed', ['seed']],
  ['fit.epochs', ['fit', 'epochs']],
  ['hooks.early-stopping.patience', ['hooks', 'early-stopping', 'patience']],
  ['metrics[0]', ['metrics', '0']],
  ['metrics[0].name', ['metrics', '0', 'name']],
  ['hooks["./hooks/mine.ts#Mine"].scale', ['hooks', './hooks/mine.ts#Mine', 'scale']],
  ['hooks["a \\"quoted\\" name"]', ['hooks', 'a "quoted" name']],
  ['["odd key"].x', ['odd key', 'x']],
  ['a["="]["."]', ['a', '=', '.']],
])('%s leads to %j', (text, keys) => {
  expect(parsePath(text)).toEqual(keys);
});

test.each([
  '',
  '.',
  'a.',
  '.a',
  'a..b',
  'a[',
  'a[]',
  'a[b]',
  'a["b]',
  'a b',
  'a=b',
  'a[0]b',
  'a["b"]c',
  '"a"',
])('"%s" is not a path, and the error shows one', (text) => {
  expect(() => parsePath(text)).toThrow(
    `"${text}" is not the path of a setting. Expected one such as fit.epochs, or hooks["./hooks/mine.ts#Mine"].scale.`,
  );
});

test.each(['__proto__', 'constructor', 'prototype'])('the key %s is refused wherever it is', (key) => {
  expect(isForbidden(key)).toBe(true);
  for (const text of [key, `a.${key}`, `${key}.a`, `a["${key}"].b`, `a[0].${key}`]) {
    expect(() => parsePath(text)).toThrow(`the key "${key}" is refused: it would change every object.`);
  }
});

test('keys that only look like them are keys', () => {
  expect(parsePath('proto.constructors.__prototype')).toEqual(['proto', 'constructors', '__prototype']);
  expect(isForbidden('toString')).toBe(false);
});

test('keys that are written as a path lead back to themselves', () => {
  const odd = ['a', '0', 'with.dot', 'with space', 'with"quote', 'with\\backslash', 'a=b', '[x]', 'ü', '🎉'];
  for (const first of odd) {
    for (const second of odd) expect(parsePath(pathText([first, second]))).toEqual([first, second]);
  }
  expect(pathText([])).toBe('');
});

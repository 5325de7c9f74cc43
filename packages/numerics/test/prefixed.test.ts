import { expect, test } from 'vitest';
import { withoutPrefix, withPrefix } from '../src/index.js';

test('names get a prefix and lose it; values under other names are left out', () => {
  const prefixed = withPrefix({ a: 1, b: 2 }, 'model/');
  expect(prefixed).toEqual({ 'model/a': 1, 'model/b': 2 });
  expect(withoutPrefix({ ...prefixed, 'other/a': 3, model: 4 }, 'model/')).toEqual({ a: 1, b: 2 });
});

test('a prefix is the beginning of a name as it is written, and no value is copied', () => {
  const value = { deep: true };
  const names = { 'a.b/x': value, 'aXb/x': 1, 'A.B/x': 2, 'a.b': 3 };
  expect(withoutPrefix(names, 'a.b/')).toEqual({ x: value });
  expect(withoutPrefix(names, 'a.b/').x).toBe(value);
  expect(withoutPrefix(names, '')).toEqual(names);
  expect(withPrefix(names, '')).toEqual(names);
  expect(withPrefix({}, 'a/')).toEqual({});
  expect(Object.keys(withPrefix({ b: 1, a: 2 }, 'z/'))).toEqual(['z/b', 'z/a']);
});

test('a name that every object has is a name like any other', () => {
  expect(withoutPrefix({ 'a/constructor': 1, 'a/toString': 2 }, 'a/')).toEqual({
    constructor: 1,
    toString: 2,
  });
  expect(Object.hasOwn(withPrefix({ o: 1 }, '__proto_'), '__proto_o')).toBe(true);
});

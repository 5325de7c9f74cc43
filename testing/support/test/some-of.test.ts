import { afterEach, expect, test, vi } from 'vitest';
import { someOf } from '../src/some-of.js';

afterEach(() => void vi.unstubAllEnvs());

test('a test tries as many cases as it says, from all over the list, the first among them', () => {
  vi.stubEnv('HOOKLINE_EVERY_CASE', '');
  expect(someOf([1, 2, 3, 4, 5, 6], 2)).toEqual([1, 4]);
  expect(someOf([1, 2, 3], 2)).toEqual([1, 3]);
  expect(someOf(['a', 'b'], 1)).toEqual(['a']);
  expect(someOf(['a', 'b'], 5)).toEqual(['a', 'b']);
  const many = Array.from({ length: 201 }, (_, i) => i);
  expect(new Set(someOf(many, 40)).size).toBe(40);
});

test('a proof tries all of them', () => {
  vi.stubEnv('HOOKLINE_EVERY_CASE', '1');
  expect(someOf([1, 2, 3, 4, 5, 6], 2)).toEqual([1, 2, 3, 4, 5, 6]);
});

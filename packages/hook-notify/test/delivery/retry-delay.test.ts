import { expect, test } from 'vitest';
import { retryAfter, retryDelay } from '../../src/delivery/retry-delay.js';

test('each wait is twice as long as the one before, from half of it to all of it by chance', () => {
  const range = (attempt: number) => [
    retryDelay(attempt, undefined, () => 0),
    retryDelay(attempt, undefined, () => 1),
  ];
  expect([0, 1, 2].map(range)).toEqual([
    [250, 500],
    [500, 1000],
    [1000, 2000],
  ]);
});

test('a receiver that says how long is waited for, up to five minutes; beyond that it is not worth it', () => {
  expect(retryDelay(0, 7000)).toBe(7000);
  expect(retryDelay(2, 0, () => 1)).toBe(2000);
  expect(retryDelay(0, 300_000)).toBe(300_000);
  expect(retryDelay(0, 300_001)).toBeUndefined();
  expect(retryDelay(0, Infinity)).toBeUndefined();
});

test('Retry-After is read as seconds or as a date', () => {
  const now = Date.parse('Mon, 16 Nov 2026 08:00:00 GMT');
  expect(retryAfter('7', now)).toBe(7000);
  expect(retryAfter(' 0.5 ', now)).toBe(500);
  expect(retryAfter('Mon, 16 Nov 2026 08:00:30 GMT', now)).toBe(30_000);
  expect(retryAfter('Mon, 16 Nov 2026 07:00:00 GMT', now)).toBe(0);
  expect(retryAfter('-3', now)).toBe(0);
  for (const header of [null, '', ' ', 'soon']) expect(retryAfter(header, now)).toBeUndefined();
});

import { sharedKey } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { createSharedMap } from '../../src/run/shared-map.js';

test('keeps a value under its key', () => {
  const quality = sharedKey<number>('data-quality');
  const shared = createSharedMap();
  expect(shared.get(quality)).toBeUndefined();
  expect(shared.has(quality)).toBe(false);
  shared.set(quality, 0.95);
  expect(shared.get(quality)).toBe(0.95);
  expect(shared.has(quality)).toBe(true);
  expect(shared.delete(quality)).toBe(true);
  expect(shared.delete(quality)).toBe(false);
  expect(shared.has(quality)).toBe(false);
});

test('tells "nothing there" from "undefined was left there"', () => {
  const key = sharedKey<undefined>('seen');
  const shared = createSharedMap();
  shared.set(key, undefined);
  expect(shared.has(key)).toBe(true);
});

test('goes by the name of the key, also for names that objects have by themselves', () => {
  const shared = createSharedMap();
  expect(shared.has(sharedKey('constructor'))).toBe(false);
  shared.set(sharedKey<number>('rate'), 1);
  expect(shared.get(sharedKey<number>('rate'))).toBe(1);
  expect(shared.get(sharedKey<number>('other'))).toBeUndefined();
});

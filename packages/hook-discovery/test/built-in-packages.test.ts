import { BUILT_IN_ORDER } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { BUILT_IN_PACKAGES } from '../src/index.js';

test('every hook with a place in the order names the package it comes from, and no other does', () => {
  expect(Object.keys(BUILT_IN_PACKAGES)).toEqual(BUILT_IN_ORDER);
  for (const name of Object.values(BUILT_IN_PACKAGES)) expect(name).toMatch(/^@hookline\/hook-[a-z-]+$/);
});

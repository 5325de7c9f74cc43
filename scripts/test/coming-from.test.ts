import { expect, it } from 'vitest';
import { existingNames, isLookedUp, nameIn, ourNames } from './docs/our-names.js';

const page = 'docs/coming-from.md';

it('the page for people from other frameworks names many things', () => {
  const names = ourNames(page).map(({ name }) => name);
  expect(names.length).toBeGreaterThan(150);
  expect(names).toEqual(expect.arrayContaining(['onEpochEnd', "ctx.stop('the reason')", 'early-stopping']));
});

// Options, events and methods on that page are type-checked with the examples: see docs-examples.test.ts.
it('every function, type and hook that it names exists', () => {
  const existing = existingNames();
  const unknown = ourNames(page).filter(({ name }) => isLookedUp(name) && !existing.has(nameIn(name)));
  expect(unknown).toEqual([]);
});

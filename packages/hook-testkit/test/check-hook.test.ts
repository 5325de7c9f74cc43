import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { Check } from '../src/check.js';
import { runChecks, waitsFor } from '../src/check-hook.js';
import { CHECKS } from '../src/checks.js';
import { checkHook } from '../src/index.js';
import { steady, steadyPackage, subjectOf } from './steady.js';

const check = (name: string, problems: string[], more: Partial<Check> = {}): Check => ({
  name,
  promise: `keeps ${name}`,
  run: async () => problems,
  ...more,
});
const run = (...checks: Check[]) => runChecks(subjectOf(steady), checks);

test('a broken promise has the name of its check, the promise and all problems', async () => {
  expect(await run(check('order', []), check('peace', ['a', 'b']))).toEqual([
    { check: 'peace', promise: 'keeps peace', problems: ['a', 'b'] },
  ]);
});

test('a check that does not apply is left out', async () => {
  expect(await run(check('peace', ['a'], { applies: () => false }))).toEqual([]);
});

test('a check that would only repeat the fault of another is left out', async () => {
  const found = await run(check('events', ['a']), check('after', ['b'], { needs: ['events'] }));
  expect(found.map((each) => each.check)).toEqual(['events']);
});

test('a check waits for what its needs wait for', () => {
  const resume = CHECKS.find(({ name }) => name === 'resume')!;
  expect(waitsFor(resume, ['reuse'])).toBe('reuse');
  // reuse and state need fit, which needs events.
  expect(waitsFor(resume, ['events'])).toBe('fit');
  expect(waitsFor(resume, ['manifest'])).toBeUndefined();
});

test('every check comes after those that it needs, and has a name and a promise of its own', () => {
  for (const [place, { needs = [] }] of CHECKS.entries()) {
    for (const need of needs) {
      const at = CHECKS.findIndex(({ name }) => name === need);
      expect(at).toBeGreaterThanOrEqual(0);
      expect(at).toBeLessThan(place);
    }
  }
  expect(new Set(CHECKS.map(({ name }) => name)).size).toBe(CHECKS.length);
  expect(new Set(CHECKS.map(({ promise }) => promise)).size).toBe(CHECKS.length);
});

test('packing is only asked for by name: it takes seconds', () => {
  const packed = CHECKS.find(({ name }) => name === 'packed')!;
  expect(packed.applies!(subjectOf(steady))).toBe(false);
  expect(packed.applies!(subjectOf(steady, { packed: true }))).toBe(true);
});

test('for other test runners: a package by its address, with what is broken and nothing that follows from it', async () => {
  const factory = () => ({ name: 'steady', onForward: async () => {} });
  const broken = await checkHook(factory as never, {
    package: pathToFileURL(steadyPackage({ peerDependencies: {} })),
  });
  // The runs need a hook that listens as it should; the range of the api does not.
  expect(broken.map((each) => each.check)).toEqual(['events', 'peer-range']);
  expect(broken[0]!.promise).toBe('is a hook, and listens only to events that exist');
});

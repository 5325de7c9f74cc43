import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { check } from '../check.mjs';
import { checks } from '../tasks.mjs';

let printed: string[];
beforeEach(() => {
  printed = [];
  const print = (line: string) => void printed.push(line);
  vi.spyOn(console, 'log').mockImplementation(print);
  vi.spyOn(console, 'error').mockImplementation(print);
});
afterEach(() => void vi.restoreAllMocks());

const good = { does: 'something', run: async () => {} };
const bad = { does: 'something else', run: () => Promise.reject(new Error('it broke')) };

it('runs every check although one fails, and fails in the end, naming it', async () => {
  const last = { does: 'the rest', run: async () => console.log('still here') };
  await expect(check({ good, bad, last })).rejects.toThrow('1 of 3: bad');
  expect(printed).toContain('still here');
  expect(printed).toContain('[bad] failed: it broke');
  expect(printed.at(-1)).toMatch(/good\s+good.*\n.*FAILED\s+bad.*\n.*good\s+last/);
});

it('says so when all checks are good', async () => {
  await check({ good, other: good });
  expect(printed.at(-1)).toBe('all 2 checks are good');
});

it('leaves out the check named by --except', async () => {
  await check({ good, bad }, ['--except', 'bad']);
  expect(printed.at(-1)).toBe('all 1 checks are good');
});

it('refuses to leave out a check that does not exist', async () => {
  await expect(check({ good }, ['--except', 'tests'])).rejects.toThrow('one of: good');
});

it('starts with the tests, which CI runs through npm test', () => {
  expect(Object.keys(checks)[0]).toBe('test');
});

import { tmpdir } from 'node:os';
import { expect, test, vi } from 'vitest';

const found = { random: Math.random, timer: setTimeout, folder: process.cwd() };

function change(): void {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  process.env.LEFT_BEHIND = 'yes';
  process.chdir(tmpdir());
}

function expectAsFound(): void {
  expect(Math.random).toBe(found.random);
  expect(setTimeout).toBe(found.timer);
  expect(process.env.LEFT_BEHIND).toBeUndefined();
  expect(process.cwd()).toBe(found.folder);
}

test.fails('a test that never ends, and is ended by its limit,', { timeout: 1 }, () => {
  change();
  return new Promise<void>(() => {});
});

test('leaves what it changed to none of those after it', expectAsFound);

test.fails('nor does one that fails', () => {
  change();
  throw new Error('it fails');
});

test('leave anything', expectAsFound);

test('one that passes leaves what it has left on purpose', () => {
  process.env.LEFT_BEHIND = 'on purpose';
});

test('to those after it', () => {
  expect(process.env.LEFT_BEHIND).toBe('on purpose');
  delete process.env.LEFT_BEHIND;
});

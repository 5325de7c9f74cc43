import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorOf, folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { removeStale, staleLock, withLock } from '../../src/journal/lock.js';

const folder = folderPerTest();
const file = () => folder.in('lock');
const NOBODY = 2 ** 22 + 1;

/** A lock that was left behind, and when. */
function left(content: string, secondsAgo = 0): void {
  writeFileSync(file(), content);
  const then = Date.now() / 1000 - secondsAgo;
  utimesSync(file(), then, then);
}

test('one after the other has the lock, and nothing is left of it', async () => {
  let inside = 0;
  const seen: number[] = [];
  const work = () => {
    seen.push(++inside);
    inside--;
  };
  await Promise.all(Array.from({ length: 10 }, () => withLock(file(), work)));
  expect(seen).toEqual(Array(10).fill(1));
  expect(readdirSync(folder.path)).toEqual([]);
});

test('work that fails gives the lock back', async () => {
  const fails = () => {
    throw new Error('no');
  };
  await expect(withLock(file(), fails)).rejects.toThrow('no');
  expect(existsSync(file())).toBe(false);
});

test.each([
  ['a process that has ended', () => left(`${NOBODY} ${hostname()}`)],
  ['another machine, after a while', () => left(`${process.pid} elsewhere`, 60)],
  ['a process that was killed before it had written its name', () => left('', 60)],
])('the lock of %s is taken over', async (_who, leave) => {
  leave();
  expect(await withLock(file(), () => 'mine')).toBe('mine');
  expect(readdirSync(folder.path)).toEqual([]);
});

test.each([
  ['a process that lives, however long it takes', () => left(`${process.pid} ${hostname()}`, 3600)],
  ['another machine, at first', () => left(`${NOBODY} elsewhere`)],
])('the lock of %s is not, and its owner is named', async (_who, leave) => {
  leave();
  const error = await errorOf(() => withLock(file(), () => 'mine', 20));
  expect(error.code).toBe('SWEEP_LOCKED');
  expect(error.message).toMatch(
    /Another process \(process \d+ of \S+\) has held .*lock for 0\.02 s\. End it/,
  );
  expect(existsSync(file())).toBe(true);
});

test('of two who find the same stale lock, the second does not remove the new lock of the first', async () => {
  left(`${NOBODY} ${hostname()}`);
  const found = staleLock(file())!;
  expect(found).toBeDefined();
  // The first removes it and takes its place; only then the second gets to remove what it has found.
  await withLock(file(), () => {
    removeStale(file(), found);
    expect(existsSync(file())).toBe(true);
  });
});

test('one who was killed while it removed a stale lock stops nobody', async () => {
  left(`${NOBODY} ${hostname()}`);
  writeFileSync(`${file()}.${staleLock(file())}`, `${NOBODY} ${hostname()}`);
  expect(await withLock(file(), () => 'mine')).toBe('mine');
  expect(readdirSync(folder.path)).toEqual([]);
});

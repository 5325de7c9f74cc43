import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { errorOf, folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { removeStale, staleLock, withLock } from '../../src/journal/lock.js';
import { type ProcessOwner, thisOwner } from '../../src/journal/owner.js';

const folder = folderPerTest();
const file = () => folder.in('lock');
const here = thisOwner();
const nobody = { ...here, pid: 2 ** 22 + 1 };
const text = (owner: ProcessOwner) => JSON.stringify(owner);

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
  ['a process that has ended', () => left(text(nobody))],
  ['another machine, after a while', () => left(text({ ...here, machine: 'elsewhere' }), 60)],
  ['a process that was killed before it had written its name', () => left('', 60)],
  ['a process whose number another program has now', () => left(text({ ...here, start: here.start - 1 }))],
  ['this machine before it was started again', () => left(text({ ...here, host: '00000000' }))],
])('the lock of %s is taken over', async (_who, leave) => {
  leave();
  expect(await withLock(file(), () => 'mine')).toBe('mine');
  expect(readdirSync(folder.path)).toEqual([]);
});

test.each([
  ['a process that lives, however long it takes', () => left(text(here), 3600)],
  ['another machine, at first', () => left(text({ ...nobody, machine: 'elsewhere' }))],
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
  left(text(nobody));
  const found = staleLock(file())!;
  expect(found).toBeDefined();
  // The first removes it and takes its place; only then the second gets to remove what it has found.
  await withLock(file(), () => {
    removeStale(file(), found);
    expect(existsSync(file())).toBe(true);
  });
});

test('one who was killed while it removed a stale lock stops nobody', async () => {
  left(text(nobody));
  writeFileSync(`${file()}.${staleLock(file())}`, text(nobody));
  expect(await withLock(file(), () => 'mine')).toBe('mine');
  expect(readdirSync(folder.path)).toEqual([]);
});

test('of two who find the same stale guard, the second does not remove the new guard of the first', () => {
  left(text(nobody));
  const guard = `${file()}.${staleLock(file())}`;
  writeFileSync(guard, text(nobody));
  const found = staleLock(guard)!;
  expect(found).toBeDefined();
  // One who lives has it now.
  rmSync(guard);
  writeFileSync(guard, text(here));
  removeStale(guard, found);
  expect(existsSync(guard)).toBe(true);
  removeStale(file(), staleLock(file())!);
  expect(existsSync(file())).toBe(true);
});

test('a guard, and the guard of its removal, that were left behind stop nobody', async () => {
  left(text(nobody));
  const guard = `${file()}.${staleLock(file())}`;
  writeFileSync(guard, text(nobody));
  writeFileSync(`${guard}.${staleLock(guard)}`, text(nobody));
  expect(await withLock(file(), () => 'mine')).toBe('mine');
  expect(readdirSync(folder.path)).toEqual([]);
});

test('a lock that another machine has taken over is left to it', async () => {
  const theirs = text({ ...here, machine: 'elsewhere' });
  await withLock(file(), () => writeFileSync(file(), theirs));
  expect(readFileSync(file(), 'utf8')).toBe(theirs);
});

test('a folder that is not there is an error, not a lock that is held', async () => {
  const error = await errorOf(() => withLock(folder.in('no', 'lock'), () => 'mine'));
  expect(error.code).toBe('ENOENT');
});

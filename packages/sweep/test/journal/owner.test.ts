import { hostName } from '@hookline/host';
import { expect, test } from 'vitest';
import { isAlive, isOfThisMachine, type Owner, thisOwner } from '../../src/journal/owner.js';

const here = thisOwner();
const NOBODY = 2 ** 22 + 1;

test('this process is an owner that survives JSON, as the journal keeps it', () => {
  expect(here).toMatchObject({ machine: hostName(), pid: process.pid });
  expect(JSON.parse(JSON.stringify(here))).toEqual(here);
});

test.each<[string, Owner, boolean]>([
  ['this process', here, true],
  ['a queue, which has no process', 'queue', true],
  ['a process that has ended', { ...here, pid: NOBODY }, false],
  ['a process whose number another program has now', { ...here, start: here.start - 1 }, false],
  ['this machine before it was started again', { ...here, host: '00000000' }, false],
  ['another machine, which cannot be asked', { ...here, machine: 'elsewhere', pid: NOBODY }, true],
])('%s: alive is %3$s', (_who, owner, expected) => {
  expect(isAlive(owner)).toBe(expected);
});

test('another machine is told by its name', () => {
  expect(isOfThisMachine({ ...here, host: '00000000' })).toBe(true);
  expect(isOfThisMachine({ ...here, machine: 'elsewhere' })).toBe(false);
});

import { EVENTS, type EventName, every, type Hook, once } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { events } from '../../src/checks/events.js';
import type { TestedFactory } from '../../src/subject.js';
import { saidBy, steadyBut } from '../steady.js';

const said = (made: unknown) => saidBy(events, (() => made) as TestedFactory<object>);
const NAMES = Object.keys(EVENTS) as EventName[];

test('a hook may listen to every event that there is', async () => {
  const hook = { name: 'all', ...Object.fromEntries(NAMES.map((name) => [name, () => undefined])) };
  expect(await said(hook)).toBe('');
});

test.each(NAMES.filter((name) => EVENTS[name].sync))(
  '%s runs in the tape: async is refused',
  async (name) => {
    expect(await said({ name: 'late', [name]: async () => undefined })).toMatch(
      new RegExp(`^Hook "late": ${name} is async, .* await in onTrainBatchEnd\\.$`),
    );
  },
);

test.each(NAMES.filter((name) => !EVENTS[name].sync))('%s may be async', async (name) => {
  expect(await said({ name: 'late', [name]: async () => undefined })).toBe('');
});

test('a factory may make several hooks, and each of them is looked at', async () => {
  const good: Hook = { name: 'good' };
  expect(await said([good, { name: 'other' }])).toBe('');
  expect(await said([good, { name: 'other', onForward: async () => {} }])).toContain('Hook "other"');
});

test.each<[string, unknown, RegExp]>([
  ['nothing', undefined, /hook/i],
  ['an empty list', [], /^The factory returned an empty list\. It must return a hook, or several\.$/],
  ['an object without a name', { onEpochEnd() {} }, /name/],
  ['a method that is not a function', { name: 'flat', onEpochEnd: 5 }, /onEpochEnd/],
])('a factory that returns %s is found out', async (_what, made, says) => {
  expect(await said(made)).toMatch(says);
});

test('a factory that throws is quoted', async () => {
  const throwing = () => {
    throw new Error('no such device');
  };
  expect(await saidBy(events, throwing)).toBe('no such device');
});

test('helpers of its own, whose names are not like those of events, are its own affair', async () => {
  expect(
    await saidBy(
      events,
      steadyBut(() => ({ total: 0, average: () => 1 })),
    ),
  ).toBe('');
});

test('the kit itself says nothing of a hook with filters around its methods', async () => {
  const filtered = () =>
    ({
      name: 'filtered',
      onStepEnd: every({ steps: 2 }, () => {}),
      onEpochEnd: once(() => {}),
      onTrainBatchEnd: every({ steps: 5 }, async () => {}),
    }) as Hook;
  expect(await saidBy(events, filtered)).toBe('');
});

import { EVENTS, type Hook } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { eventsOf } from '../src/main/check-hooks.js';

test('the worker sends what a hook listens to, and always the beginning and the end', () => {
  const events = eventsOf([
    { name: 'a', onEpochEnd() {} },
    { name: 'b', onTrainBatchEnd() {} },
  ]);
  expect(events).toEqual(expect.arrayContaining(['setup', 'teardown', 'onEpochEnd', 'onTrainBatchEnd']));
  expect(events).not.toContain('onStepEnd');
  expect(events.filter((name) => EVENTS[name].kind !== 'lifecycle')).toHaveLength(2);
});

test('without hooks, only the beginning and the end are sent', () => {
  expect(eventsOf([]).every((name) => EVENTS[name].kind === 'lifecycle')).toBe(true);
});

test.each(
  (Object.keys(EVENTS) as (keyof typeof EVENTS)[]).filter((name) => EVENTS[name].kind === 'transform'),
)('a hook with %s is told to go to the worker', (name) => {
  const hook = { name: 'mine', [name]() {} } as unknown as Hook;
  expect(() => eventsOf([hook])).toThrow(
    new RegExp(`"mine" cannot run on this side of the worker: ${name} changes training.*training module`),
  );
});

test('so is one that needs the phases of the run', () => {
  const hook: Hook = { name: 'phased', needs: ['phases'], onEpochEnd() {} };
  expect(() => eventsOf([hook])).toThrow(/it needs the phases of the run/);
  expect(eventsOf([{ name: 'fine', needs: ['outputs'], onEpochEnd() {} }])).toContain('onEpochEnd');
});

test('what is not a hook is refused before a worker is started', () => {
  expect(() => eventsOf([{ name: 'typo', onEpochEnded() {} } as unknown as Hook])).toThrow(/onEpochEnd/);
  expect(() => eventsOf([{} as Hook])).toThrow(/name/);
});

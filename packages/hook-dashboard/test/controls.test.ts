import type { HookContext } from '@hookline/hook-api';
import { runHooksKey } from '@hookline/hook-api/helpers';
import { expect, test } from 'vitest';
import { controlsOf } from '../src/controls.js';
import type { Act } from '../src/server/acts.js';

/** A run as far as the page acts on it: what was asked of it, and what was logged. */
function runWith({ checkpoints = true } = {}) {
  const asked: string[] = [];
  const warned: string[] = [];
  const groups = [{ lrScale: 1 }, { lrScale: 0.5 }];
  const on = new Map([['a', true]]);
  const hooks = {
    list: () => [...on].map(([name, enabled]) => ({ name, enabled })),
    costs: () => [{ name: 'a', calls: 3, milliseconds: 1.5 }],
    enable: (name: string) => void on.set(name, true),
    disable: (name: string) => void on.set(name, false),
  };
  const ctx = {
    stop: (reason: string) => asked.push(`stop: ${reason}`),
    requestValidation: () => asked.push('validate'),
    requestCheckpoint: (name: string) => asked.push(`checkpoint: ${name}`),
    checkpoints: checkpoints ? {} : undefined,
    state: { optimizers: [{ groups }] },
    shared: { get: (key: unknown) => (key === runHooksKey ? hooks : undefined) },
    logger: { warn: (message: string) => warned.push(message) },
  } as unknown as HookContext;
  return { controls: controlsOf(ctx), asked, warned, groups };
}

test.each<[Act, string[], string]>([
  [{ verb: 'stop' }, ['stop: stopped from the dashboard'], 'stop the run'],
  [{ verb: 'validate' }, ['validate'], 'validate now'],
  [{ verb: 'checkpoint' }, ['checkpoint: dashboard'], 'save a checkpoint'],
  [{ verb: 'scale-lr', factor: 2 }, [], 'scale the learning rate by 2'],
  [{ verb: 'switch', hook: 'a', on: false }, [], 'switch the hook "a" off'],
])('%j is done and recorded', (act, expected, words) => {
  const { controls, asked, warned } = runWith();
  expect(controls.act(act)).toBe(true);
  expect(asked).toEqual(expected);
  expect(warned).toEqual([`From the page: ${words}.`]);
});

test('the learning rate of every group is scaled, each from where it is', () => {
  const { controls, groups } = runWith();
  controls.act({ verb: 'scale-lr', factor: 0.5 });
  controls.act({ verb: 'scale-lr', factor: 0.5 });
  expect(groups.map(({ lrScale }) => lrScale)).toEqual([0.25, 0.125]);
});

test('hooks are told with their cost, and whether they are on', async () => {
  const { controls } = runWith();
  controls.act({ verb: 'switch', hook: 'a', on: false });
  expect(await controls.hooks()).toEqual([{ name: 'a', isOn: false, calls: 3, milliseconds: 1.5 }]);
  controls.act({ verb: 'switch', hook: 'a', on: true });
  expect(await controls.hooks()).toMatchObject([{ isOn: true }]);
});

test('what cannot be done is not recorded as done', () => {
  const { controls, asked, warned } = runWith({ checkpoints: false });
  expect(controls.act({ verb: 'checkpoint' })).toBe(false);
  expect(controls.act({ verb: 'switch', hook: 'nobody', on: true })).toBe(false);
  expect([asked, warned]).toEqual([[], []]);
});

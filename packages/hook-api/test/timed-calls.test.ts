import { expect, test } from 'vitest';
import { every, type Hook, type HookContext, HookManager } from '../src/index.js';
import { range, stepEnd, testRun, walkSteps } from './test-context.js';

/** A manager whose contexts tell when each method begins and when it has settled. */
async function timed(hooks: readonly Hook[]) {
  const told: string[] = [];
  const manager = new HookManager();
  const run = testRun();
  for (const hook of hooks) manager.add(hook);
  const enter = function (this: HookContext, event: string) {
    told.push(`${this.hook} begins ${event}`);
    return () => void told.push(`${this.hook} ends ${event}`);
  };
  await manager.setup('fit', (hook) => ({ ...run.contextFor(hook), enter }));
  return { manager, run, told };
}

test('a context with enter is told when each method begins and has settled', async () => {
  const { manager, told } = await timed([
    { name: 'a', setup() {}, onStepEnd: async () => {} },
    { name: 'b', onStepEnd() {} },
  ]);
  await manager.call('onStepEnd', stepEnd());
  expect(told).toEqual([
    'a begins setup',
    'a ends setup',
    'a begins onStepEnd',
    'a ends onStepEnd',
    'b begins onStepEnd',
    'b ends onStepEnd',
  ]);
});

test('a method that throws or rejects has ended, too', async () => {
  const broken = (): never => {
    throw new Error('oops');
  };
  const { manager, told } = await timed([
    { name: 'throws', onStepEnd: broken },
    { name: 'rejects', onStepEnd: async () => broken() },
    { name: 'fails', onError: 'fail', onStepEnd: broken },
  ]);
  await expect(manager.call('onStepEnd', stepEnd())).rejects.toThrow('oops');
  expect(told.filter((line) => line.includes('ends'))).toEqual([
    'throws ends onStepEnd',
    'rejects ends onStepEnd',
    'fails ends onStepEnd',
  ]);
});

test('no call is left out, however many there were', async () => {
  const { manager, told } = await timed([{ name: 'a', onStepEnd() {} }]);
  for (let step = 0; step < 1000; step++) await manager.call('onStepEnd', stepEnd());
  expect(told).toHaveLength(2000);
});

test('a method that its filter holds back does not begin', async () => {
  const { manager, run, told } = await timed([{ name: 'a', onStepEnd: every({ steps: 10 }, () => {}) }]);
  await walkSteps(manager, run, range(25));
  expect(told).toHaveLength(4);
});

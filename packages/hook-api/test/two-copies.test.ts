import { expect, test, vi } from 'vitest';
import { HookManager, isFatal, sharedKey, when } from '../src/index.js';
import { stepEnd, testRun, walkSteps } from './test-context.js';

/** Under pnpm a plugin may bring a copy of its own. */
async function anotherCopy(): Promise<typeof import('../src/index.js')> {
  vi.resetModules();
  const copy = await import('../src/index.js');
  expect(copy.HookManager).not.toBe(HookManager);
  return copy;
}

test('a HookFatalError of another copy ends the run', async () => {
  const { HookFatalError } = await anotherCopy();
  const error = new HookFatalError('strict');
  expect(isFatal(error)).toBe(true);
  const manager = new HookManager();
  manager.add({
    name: 'a',
    onStepEnd: () => {
      throw error;
    },
  });
  await manager.setup('fit', testRun().contextFor);
  expect(() => manager.call('onStepEnd', stepEnd())).toThrow(error);
});

test('a method wrapped by another copy is asked whether it is due', async () => {
  const { every } = await anotherCopy();
  const seen: number[] = [];
  const run = testRun();
  const manager = new HookManager();
  manager.add({ name: 'a', onStepEnd: every({ steps: 3 }, (_, event) => void seen.push(event.step)) });
  await manager.setup('fit', run.contextFor);
  run.state.step = 1;
  expect(manager.due('onStepEnd')).toBe(false);
  await walkSteps(manager, run, [1, 2, 3, 4, 5, 6]);
  expect(seen).toEqual([3, 6]);
});

test('filters of two copies may be nested', async () => {
  const { every } = await anotherCopy();
  const seen: number[] = [];
  const run = testRun();
  const manager = new HookManager();
  const wrapped = when(
    ({ state }) => state.step > 3,
    every({ steps: 3 }, (_, event: { step: number }) => void seen.push(event.step)),
  );
  manager.add({ name: 'a', onStepEnd: wrapped });
  await manager.setup('fit', run.contextFor);
  await walkSteps(manager, run, [1, 2, 3, 4, 5, 6]);
  expect(seen).toEqual([4, 6]);
});

test('a hook built on the TrainerHook of another copy is a hook', async () => {
  const { TrainerHook } = await anotherCopy();
  class Foreign extends TrainerHook {
    readonly name = 'foreign';
    calls = 0;
    override onStepEnd(): void {
      this.calls++;
    }
  }
  const hook = new Foreign();
  const manager = new HookManager();
  manager.add(hook);
  await manager.setup('fit', testRun().contextFor);
  await manager.call('onStepEnd', stepEnd());
  expect(hook.calls).toBe(1);
});

test('keys of one name made by two copies are the same key', async () => {
  const copy = await anotherCopy();
  const { shared } = testRun().contextFor({ name: 'a' });
  shared.set(sharedKey<number>('quality'), 0.9);
  expect(shared.get(copy.sharedKey<number>('quality'))).toBe(0.9);
});

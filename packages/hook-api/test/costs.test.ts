import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { every, type Hook, HookManager } from '../src/index.js';
import { range, stepEnd, type TestRun, testRun, walkSteps } from './test-context.js';

async function started(...hooks: Hook[]): Promise<{ manager: HookManager; run: TestRun }> {
  const manager = new HookManager();
  const run = testRun();
  for (const hook of hooks) manager.add(hook);
  await manager.setup('fit', run.contextFor);
  return { manager, run };
}

let clock: number;

beforeEach(() => {
  clock = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
});
afterEach(() => void vi.restoreAllMocks());

/** Work that takes exactly this long. */
function spend(milliseconds: number): void {
  clock += milliseconds;
}

test('counts every call exactly, setup and teardown among them', async () => {
  const { manager } = await started(
    { name: 'idle' },
    { name: 'busy', setup() {}, onStepEnd() {}, onEpochEnd: async () => {}, teardown() {} },
  );
  for (let step = 0; step < 1000; step++) await manager.call('onStepEnd', stepEnd());
  await manager.call('onEpochEnd', { epoch: 0, metrics: {} });
  await manager.teardown();
  expect(manager.costs()).toMatchObject([
    { name: 'idle', calls: 0, milliseconds: 0 },
    { name: 'busy', calls: 1003 },
  ]);
});

test('counts calls that fail, and not those that a filter holds back', async () => {
  const { manager, run } = await started({
    name: 'a',
    onStepEnd: every({ steps: 10 }, () => {
      throw new Error('oops');
    }),
  });
  await walkSteps(manager, run, range(25));
  expect(manager.costs()).toMatchObject([{ calls: 2 }]);
});

test('times the first 64 calls, so that what is rare is exact', async () => {
  let call = 0;
  const { manager } = await started({ name: 'uneven', onStepEnd: () => spend(++call) });
  for (let step = 0; step < 64; step++) manager.call('onStepEnd', stepEnd());
  expect(manager.costs()).toEqual([{ name: 'uneven', calls: 64, milliseconds: (64 * 65) / 2 }]);
});

test('then estimates the time from one call in 256', async () => {
  const { manager } = await started({ name: 'steady', onStepEnd: () => spend(2) });
  vi.mocked(performance.now).mockClear();
  for (let step = 0; step < 6400; step++) manager.call('onStepEnd', stepEnd());
  expect(manager.costs()).toEqual([{ name: 'steady', calls: 6400, milliseconds: 12800 }]);
  expect(performance.now).toHaveBeenCalledTimes(2 * (64 + 24));
});

test('does not mistake the pace of a filter for that of the sample', async () => {
  // Every 64th step is called. Were dispatches sampled, one in 64, each call would stand for 64 or none be timed.
  const { manager, run } = await started({ name: 'paced', onStepEnd: every({ steps: 64 }, () => spend(3)) });
  await walkSteps(manager, run, range(64 * 20));
  expect(manager.costs()).toEqual([{ name: 'paced', calls: 20, milliseconds: 60 }]);
});

test('includes the time that a promise takes', async () => {
  const { manager } = await started({
    name: 'writer',
    setup: async () => {
      await Promise.resolve();
      spend(5);
    },
    onStepEnd: async () => {
      await Promise.resolve();
      spend(4);
    },
  });
  await manager.call('onStepEnd', stepEnd());
  expect(manager.costs()).toEqual([{ name: 'writer', calls: 2, milliseconds: 9 }]);
});

test('starts over with each run, and can still be asked for after it', async () => {
  const { manager, run } = await started({ name: 'a', onStepEnd() {} });
  for (let step = 0; step < 5; step++) await manager.call('onStepEnd', stepEnd());
  await manager.teardown();
  expect(manager.costs()).toMatchObject([{ calls: 5 }]);
  await manager.setup('fit', run.contextFor);
  await manager.call('onStepEnd', stepEnd());
  expect(manager.costs()).toMatchObject([{ calls: 1 }]);
});

import { describe, expect, test, vi } from 'vitest';
import { type Hook, HookFatalError, HookManager } from '../src/index.js';
import { stepEnd, testRun } from './test-context.js';

/** A hook that tells of its setup and teardown, and fails where it is asked to. */
function witness(
  name: string,
  seen: string[],
  fails?: 'setup' | 'teardown',
  extra: Partial<Hook> = {},
): Hook {
  const meet = (event: string) => {
    seen.push(`${event} ${name}`);
    if (event === fails) throw new Error(`${name} cannot ${event}`);
  };
  return {
    name,
    setup: () => meet('setup'),
    onStepEnd: () => meet('onStepEnd'),
    onException: () => meet('onException'),
    teardown: () => meet('teardown'),
    ...extra,
  };
}

function managerOf(...hooks: Hook[]): HookManager {
  const manager = new HookManager();
  for (const hook of hooks) manager.add(hook);
  return manager;
}

test('sets up in order and tears down in reverse, telling the stage', async () => {
  const seen: string[] = [];
  const stages: string[] = [];
  const noting: Partial<Hook> = { setup: (_, { stage }) => void stages.push(`setup ${stage}`) };
  noting.teardown = (_, { stage }) => void stages.push(`teardown ${stage}`);
  const manager = managerOf(witness('a', seen), witness('b', seen), { name: 'c', ...noting });
  await manager.setup('predict', testRun().contextFor);
  expect(await manager.teardown()).toEqual([]);
  expect(seen).toEqual(['setup a', 'setup b', 'teardown b', 'teardown a']);
  expect(stages).toEqual(['setup predict', 'teardown predict']);
});

test('waits for one setup before it begins the next', async () => {
  const seen: string[] = [];
  const slow: Hook = {
    name: 'slow',
    setup: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push('slow is ready');
    },
  };
  await managerOf(slow, witness('next', seen)).setup('fit', testRun().contextFor);
  expect(seen).toEqual(['slow is ready', 'setup next']);
});

test('gives each hook a context of its own, with its name', async () => {
  const names: string[] = [];
  const hook = (name: string): Hook => ({ name, setup: (ctx) => void names.push(ctx.hook) });
  await managerOf(hook('a'), hook('b')).setup('fit', testRun().contextFor);
  expect(names).toEqual(['a', 'b']);
});

test('calls nobody before setup and nobody after teardown', async () => {
  const seen: string[] = [];
  const manager = managerOf(witness('a', seen));
  await manager.call('onStepEnd', stepEnd());
  expect(manager.due('onStepEnd')).toBe(false);
  await manager.setup('fit', testRun().contextFor);
  await manager.teardown();
  await manager.call('onStepEnd', stepEnd());
  expect(manager.due('onStepEnd')).toBe(false);
  expect(seen).toEqual(['setup a', 'teardown a']);
});

test('may run again, as often as the trainer does', async () => {
  const seen: string[] = [];
  const manager = managerOf(witness('a', seen));
  for (const stage of ['fit', 'test'] as const) {
    await manager.setup(stage, testRun().contextFor);
    await manager.call('onStepEnd', stepEnd());
    await manager.teardown();
  }
  expect(seen).toEqual(['setup a', 'onStepEnd a', 'teardown a', 'setup a', 'onStepEnd a', 'teardown a']);
});

describe('a setup that fails', () => {
  test('ends the run with the error itself, and the failure is logged', async () => {
    const run = testRun();
    const failure = new Error('no such file');
    const manager = managerOf({ name: 'a', setup: () => Promise.reject(failure) });
    await expect(manager.setup('fit', run.contextFor)).rejects.toBe(failure);
    expect(run.lines).toMatchObject([
      { hook: 'a', level: 'error', message: 'Hook "a" failed in setup at step 0: no such file' },
    ]);
  });

  test('has those before it torn down in reverse, not itself, and nobody after it set up', async () => {
    const seen: string[] = [];
    const manager = managerOf(
      witness('a', seen),
      witness('b', seen),
      witness('broken', seen, 'setup'),
      witness('d', seen),
    );
    await expect(manager.setup('fit', testRun().contextFor)).rejects.toThrow('broken cannot setup');
    await manager.call('onException', { error: new Error('broken cannot setup') });
    await manager.teardown();
    expect(seen).toEqual([
      'setup a',
      'setup b',
      'setup broken',
      'onException a',
      'onException b',
      'teardown b',
      'teardown a',
    ]);
  });

  test('of a hook that came during the run leaves the others waiting for theirs', async () => {
    const seen: string[] = [];
    const manager = managerOf(witness('a', seen));
    await manager.setup('fit', testRun().contextFor);
    manager.add(witness('broken', seen, 'setup'));
    manager.add(witness('late', seen));
    await expect(manager.call('onStepEnd', stepEnd())).rejects.toThrow('broken cannot setup');
    await manager.call('onException', { error: new Error('broken cannot setup') });
    await manager.teardown();
    expect(seen).toEqual(['setup a', 'setup broken', 'onException a', 'teardown a']);
  });
});

describe('teardown', () => {
  test('reaches everyone whatever fails, and returns every error', async () => {
    const seen: string[] = [];
    const manager = managerOf(
      witness('a', seen),
      witness('b', seen, 'teardown'),
      witness('c', seen, 'teardown', { onError: 'fail' }),
      witness('d', seen, undefined, {
        teardown: () => {
          throw new HookFatalError('d cannot go on');
        },
      }),
    );
    await manager.setup('fit', testRun().contextFor);
    const failures = await manager.teardown();
    expect(seen.filter((event) => event.startsWith('teardown'))).toEqual([
      'teardown c',
      'teardown b',
      'teardown a',
    ]);
    expect(failures).toMatchObject([
      { hook: 'd', error: { message: 'd cannot go on' }, fatal: true },
      { hook: 'c', error: { message: 'c cannot teardown' }, fatal: true },
      { hook: 'b', error: { message: 'b cannot teardown' }, fatal: false },
    ]);
  });

  test('is for a disabled hook too, once it was set up, and not for one that never was', async () => {
    const seen: string[] = [];
    const manager = managerOf(witness('a', seen), witness('b', seen));
    manager.disable('b');
    await manager.setup('fit', testRun().contextFor);
    manager.disable('a');
    await manager.teardown();
    expect(seen).toEqual(['setup a', 'teardown a']);
  });

  test('of one hook may still cause events, which reach only those not yet torn down', async () => {
    const seen: string[] = [];
    const manager = managerOf(
      { ...witness('a', seen), onCheckpointLoad: () => void seen.push('restored a') },
      {
        name: 'early-stopping',
        onCheckpointLoad: () => void seen.push('restored early-stopping'),
        teardown: () => manager.call('onCheckpointLoad', { reason: 'best', path: 'best' }),
      },
      { ...witness('checkpoint', seen), onCheckpointLoad: () => void seen.push('restored checkpoint') },
    );
    await manager.setup('fit', testRun().contextFor);
    seen.length = 0;
    await manager.teardown();
    expect(seen).toEqual(['teardown checkpoint', 'restored a', 'teardown a']);
  });

  test('before any setup has nothing to do', async () => {
    expect(await managerOf({ name: 'a', teardown: () => expect.unreachable() }).teardown()).toEqual([]);
  });
});

test('lists of hooks are compiled when they are needed, not once for each hook that is torn down', async () => {
  const many = new HookManager();
  for (let index = 0; index < 100; index++)
    many.add({ name: `hook-${index}`, onStepEnd() {}, teardown() {} });
  await many.setup('fit', testRun().contextFor);
  await many.call('onStepEnd', stepEnd());
  // Each list links its calls with it. With 5,000 hooks this took half a minute.
  const compiling = vi.spyOn(Array.prototype, 'reduceRight');
  await many.teardown();
  const { length } = compiling.mock.calls;
  compiling.mockRestore();
  expect(length).toBe(0);
});

test('hooks are sorted when their order is needed, not once for each hook that is added or removed', async () => {
  const many = new HookManager();
  // Sorting at each of 5,000 adds took more than a second.
  const sorting = vi.spyOn(Array.prototype, 'sort');
  const removers = Array.from({ length: 100 }, (_, index) => many.add({ name: `hook-${index}` }));
  for (const remove of removers.slice(50)) remove();
  const whileAdded = sorting.mock.calls.length;
  const names = many.list().map(({ name }) => name);
  const { length } = sorting.mock.calls;
  sorting.mockRestore();
  expect(names).toEqual(Array.from({ length: 50 }, (_, index) => `hook-${index}`));
  expect([whileAdded, length]).toEqual([0, 1]);
});

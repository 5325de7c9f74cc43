import { describe, expect, test } from 'vitest';
import { BUILT_IN_ORDER, defineHook, type Hook, HookManager, TrainerHook } from '../src/index.js';
import { stepEnd, testRun } from './test-context.js';

const named = (name: string): Hook => ({ name });

describe('the list of hooks', () => {
  test('holds plain objects, defined hooks and instances of classes alike', () => {
    class Third extends TrainerHook {
      readonly name = 'third';
    }
    const manager = new HookManager();
    for (const hook of [named('first'), defineHook({ name: 'second' }), new Third()]) manager.add(hook);
    expect(manager.list().map(({ name }) => name)).toEqual(['first', 'second', 'third']);
  });

  test('tells of each hook where it came from, whether it is on, and what it does', () => {
    const manager = new HookManager();
    manager.add({ name: 'watcher', onEpochEnd() {} });
    manager.add(
      { name: 'surgeon', onForward() {}, transformGradients: () => undefined },
      { source: 'plugin' },
    );
    manager.add({ name: 'asleep', onBeforeOptimizerStep() {} }, { enabled: false });
    expect(manager.list()).toEqual([
      { name: 'watcher', slot: 'watcher', source: 'code', enabled: true, kinds: ['lifecycle'] },
      { name: 'asleep', slot: 'asleep', source: 'code', enabled: false, kinds: ['update'] },
      { name: 'surgeon', slot: 'surgeon', source: 'plugin', enabled: true, kinds: ['forward', 'update'] },
    ]);
  });

  test('gives a hook the place of the built-in whose slot it takes', () => {
    const manager = new HookManager();
    manager.add(named('checkpoint'));
    manager.add(named('best-only'), { slot: 'early-stopping' });
    manager.add(named('progress'), { source: 'plugin' });
    manager.add(named('mine'));
    expect(manager.list().map(({ name, slot }) => [name, slot])).toEqual([
      ['mine', 'mine'],
      ['best-only', 'early-stopping'],
      ['progress', 'progress'],
      ['checkpoint', 'checkpoint'],
    ]);
  });

  test('runs several hooks of one slot in the order in which they were added, each with its own state', async () => {
    const manager = new HookManager();
    const seen: string[] = [];
    for (const name of ['hourly', 'checkpoint', 'best']) {
      manager.add(
        { name, onStepEnd: () => void seen.push(name), saveState: () => name },
        { slot: 'checkpoint' },
      );
    }
    await manager.setup('fit', testRun().contextFor);
    await manager.call('onStepEnd', stepEnd());
    expect(seen).toEqual(['hourly', 'checkpoint', 'best']);
    expect(Object.keys(manager.saveState())).toEqual(seen);
  });

  test('gives a hook by its name', () => {
    const manager = new HookManager();
    const hook = named('mine');
    manager.add(hook);
    expect(manager.get('mine')).toBe(hook);
    expect(manager.get('other')).toBeUndefined();
  });

  test('refuses a second hook of one name, and keeps the first', () => {
    const manager = new HookManager();
    const first = named('twin');
    manager.add(first);
    expect(() => manager.add(named('twin'), { source: 'plugin' })).toThrowError(
      expect.objectContaining({ code: 'DUPLICATE_HOOK', message: expect.stringContaining('"twin"') }),
    );
    expect(manager.get('twin')).toBe(first);
    expect(manager.list()).toHaveLength(1);
  });

  test('refuses what is not a hook before anything runs', () => {
    expect(() => new HookManager().add({ name: 'x', onTrainBatchEn() {} } as Hook)).toThrowError(
      expect.objectContaining({ code: 'UNKNOWN_EVENT' }),
    );
  });

  test.each(['remove', 'enable', 'disable'] as const)(
    '%s of an unknown name names the nearest one',
    (verb) => {
      const manager = new HookManager();
      manager.add(named('early-stopping'));
      expect(() => manager[verb]('early-stoping')).toThrowError(
        expect.objectContaining({
          code: 'UNKNOWN_HOOK',
          message: expect.stringContaining('Did you mean "early-stopping"?'),
        }),
      );
    },
  );
});

describe('a remover', () => {
  test('removes the hook, and may be called again', () => {
    const manager = new HookManager();
    const remove = manager.add(named('guest'));
    remove();
    remove();
    expect(manager.get('guest')).toBeUndefined();
  });

  test('leaves a later hook of the same name alone', () => {
    const manager = new HookManager();
    const remove = manager.add(named('guest'));
    manager.remove('guest');
    const later = named('guest');
    manager.add(later);
    remove();
    expect(manager.get('guest')).toBe(later);
  });
});

describe('order', () => {
  const calls = async (add: (manager: HookManager, hook: (name: string) => Hook) => void) => {
    const seen: string[] = [];
    const manager = new HookManager();
    add(manager, (name) => ({ name, onStepEnd: () => void seen.push(name) }));
    await manager.setup('fit', testRun().contextFor);
    await manager.call('onStepEnd', stepEnd());
    return seen;
  };
  const expected = ['mine', 'yours', 'ema', 'early-stopping', 'progress', 'checkpoint'];

  test('is code, then plugins, then the built-ins in their slots', async () => {
    const seen = await calls((manager, hook) => {
      for (const name of ['mine', 'yours']) manager.add(hook(name));
      for (const name of ['ema', 'early-stopping', 'progress', 'checkpoint'])
        manager.add(hook(name), { source: 'plugin' });
    });
    expect(seen).toEqual(expected);
  });

  test('is the same however the hooks arrive', async () => {
    const seen = await calls((manager, hook) => {
      manager.add(hook('checkpoint'));
      manager.add(hook('ema'), { source: 'plugin' });
      manager.add(hook('progress'), { source: 'plugin' });
      manager.add(hook('mine'));
      manager.add(hook('early-stopping'));
      manager.add(hook('yours'));
    });
    expect(seen).toEqual(expected);
  });

  test('of the list is the order of the calls', async () => {
    const manager = new HookManager();
    const seen: string[] = [];
    for (const name of [...BUILT_IN_ORDER].reverse())
      manager.add({ name, onStepEnd: () => void seen.push(name) });
    await manager.setup('fit', testRun().contextFor);
    await manager.call('onStepEnd', stepEnd());
    expect(seen).toEqual(manager.list().map(({ name }) => name));
  });
});

describe('listeners', () => {
  test('are the hooks that an event really reaches: set up, enabled, with the method', async () => {
    const manager = new HookManager();
    const tapper: Hook = { name: 'tapper', onForward() {} };
    const replacer: Hook = { name: 'replacer', transformActivation: () => undefined };
    manager.add(tapper);
    manager.add(replacer);
    manager.add({ name: 'off', onForward() {} }, { enabled: false });
    manager.add({ name: 'other', onStepEnd() {} });
    expect(manager.listeners('onForward')).toEqual([]);
    await manager.setup('fit', testRun().contextFor);
    expect(manager.listeners('onForward', 'transformActivation')).toEqual([tapper, replacer]);
    expect(manager.listeners('onForward')).toEqual([tapper]);
    manager.disable('tapper');
    expect(manager.listeners('onForward')).toEqual([]);
  });

  test('may have changed only when the revision has', async () => {
    const manager = new HookManager();
    await manager.setup('fit', testRun().contextFor);
    const changes = [
      () => manager.add({ name: 'a', onStepEnd() {} }),
      () => manager.disable('a'),
      () => manager.enable('a'),
      () => manager.remove('a'),
    ];
    for (const change of changes) {
      const before = manager.revision;
      change();
      expect(manager.revision).toBeGreaterThan(before);
    }
    await manager.call('onStepEnd', stepEnd());
    const settled = manager.revision;
    await manager.call('onStepEnd', stepEnd());
    expect(manager.revision).toBe(settled);
  });
});

import { describe, expect, test } from 'vitest';
import { after, type Hook, HookManager, once } from '../src/index.js';
import { stepEnd, testRun } from './test-context.js';

async function started(...hooks: Hook[]): Promise<HookManager> {
  const manager = new HookManager();
  for (const hook of hooks) manager.add(hook);
  await manager.setup('fit', testRun().contextFor);
  return manager;
}

const later = () => new Promise((resolve) => setImmediate(resolve));

describe('call', () => {
  test('hands every hook its context and the payload, as it is', async () => {
    const payload = stepEnd(7);
    const seen: unknown[] = [];
    const hook = (name: string): Hook => ({
      name,
      onStepEnd: (ctx, event) => void seen.push([ctx.hook, event === payload]),
    });
    const manager = await started(hook('a'), hook('b'));
    await manager.call('onStepEnd', payload);
    expect(seen).toEqual([
      ['a', true],
      ['b', true],
    ]);
  });

  test('calls methods on their hook, so that `this` works', async () => {
    class Counter {
      readonly name = 'counter';
      count = 0;
      onStepEnd(): void {
        this.count++;
      }
    }
    const counter = new Counter();
    const manager = await started(counter);
    await manager.call('onStepEnd', stepEnd());
    expect(counter.count).toBe(1);
  });

  test('is over when it returns, without a promise, when no hook returns one', async () => {
    const seen: string[] = [];
    const manager = await started(
      { name: 'a', onStepEnd: () => void seen.push('a') },
      { name: 'b', onStepEnd: () => void seen.push('b') },
    );
    expect(manager.call('onStepEnd', stepEnd())).toBeUndefined();
    expect(seen).toEqual(['a', 'b']);
  });

  test('does nothing for an event that nobody has', async () => {
    const manager = await started({ name: 'a', onStepEnd() {} });
    expect(manager.call('onEpochEnd', { epoch: 0, metrics: {} })).toBeUndefined();
  });

  test('waits for a promise before it calls the next hook, and is over when the last one is', async () => {
    const seen: string[] = [];
    const slow = (name: string): Hook => ({
      name,
      onStepEnd: async () => {
        seen.push(`${name} begins`);
        await later();
        seen.push(`${name} ends`);
      },
    });
    const manager = await started(slow('a'), { name: 'b', onStepEnd: () => void seen.push('b') }, slow('c'));
    const pending = manager.call('onStepEnd', stepEnd());
    expect(seen).toEqual(['a begins']);
    await pending;
    expect(seen).toEqual(['a begins', 'a ends', 'b', 'c begins', 'c ends']);
  });

  test('waits for anything that can be awaited, also when the call is timed', async () => {
    let settled = 0;
    const thenable = {
      // biome-ignore lint/suspicious/noThenProperty: query builders and the like are thenables without being promises.
      then: (resolve: (value: unknown) => void) => void setImmediate(() => resolve(settled++)),
    };
    const manager = await started({ name: 'query', onStepEnd: () => thenable as never });
    for (let call = 1; call <= 130; call++) {
      await manager.call('onStepEnd', stepEnd());
      expect(settled).toBe(call);
    }
  });

  test('takes no notice of what an observer returns', async () => {
    const payload = stepEnd();
    const got: unknown[] = [];
    const manager = await started(
      { name: 'a', onStepEnd: () => 'surprise' as never },
      { name: 'b', onStepEnd: async () => 'surprise' as never },
      { name: 'c', onStepEnd: (_, event) => void got.push(event) },
    );
    await manager.call('onStepEnd', payload);
    expect(got[0]).toBe(payload);
  });

  test('can be for some of the hooks only', async () => {
    const seen: string[] = [];
    const hook = (name: string): Hook => ({ name, onForward: () => void seen.push(name) });
    const manager = await started(hook('a'), hook('b'), hook('c'));
    manager.call('onForward', {} as never, ({ name }) => name !== 'b');
    expect(seen).toEqual(['a', 'c']);
  });

  test('asks right before each call, so that the caller knows which hook runs, promises included', async () => {
    let running = '';
    const seen: [name: string, running: string][] = [];
    const hook = (name: string): Hook => ({
      name,
      async onStepEnd() {
        await later();
        seen.push([name, running]);
      },
    });
    const manager = await started(hook('a'), hook('b'));
    await manager.call('onStepEnd', stepEnd(), ({ name }) => {
      running = name;
      return true;
    });
    expect(seen).toEqual([
      ['a', 'a'],
      ['b', 'b'],
    ]);
  });

  test('for some of the hooks stays so when a setup comes first', async () => {
    const seen: string[] = [];
    const hook = (name: string): Hook => ({ name, onStepEnd: () => void seen.push(name) });
    const manager = await started(hook('a'), hook('b'));
    manager.add(hook('c'));
    await manager.call('onStepEnd', stepEnd(), ({ name }) => name !== 'b');
    expect(seen).toEqual(['a', 'c']);
  });
});

describe('due', () => {
  test('is false for an event that nobody has, so that no payload is built', async () => {
    const manager = await started({ name: 'a', onStepEnd() {} });
    expect(manager.due('onStepEnd')).toBe(true);
    expect(manager.due('onTrainBatchEnd')).toBe(false);
  });

  test('is false when all who have the event are disabled', async () => {
    const manager = await started({ name: 'a', onStepEnd() {} });
    manager.disable('a');
    expect(manager.due('onStepEnd')).toBe(false);
  });

  describe('asked for some of the hooks', () => {
    const needsOutputs = ({ needs }: Hook) => needs?.includes('outputs') ?? false;

    test('is true only when one of them has the event', async () => {
      const manager = await started(
        { name: 'plain', onTrainBatchEnd() {}, onStepEnd() {} },
        { name: 'judge', needs: ['outputs'], onTrainBatchEnd() {} },
      );
      expect(manager.due('onTrainBatchEnd', needsOutputs)).toBe(true);
      expect(manager.due('onStepEnd', needsOutputs)).toBe(false);
      expect(manager.due('onEpochEnd', needsOutputs)).toBe(false);
    });

    test('follows their filters, whatever the others do', async () => {
      const run = testRun();
      const manager = new HookManager();
      manager.add({ name: 'plain', onTrainBatchEnd() {} });
      manager.add({ name: 'judge', needs: ['outputs'], onTrainBatchEnd: after({ steps: 5 }, () => {}) });
      await manager.setup('fit', run.contextFor);
      const at = (step: number) => {
        run.state.step = step;
        return manager.due('onTrainBatchEnd', needsOutputs);
      };
      expect([4, 5, 6].map(at)).toEqual([false, true, true]);
    });

    test('is false once they are disabled or removed', async () => {
      const manager = await started({ name: 'judge', needs: ['outputs'], onTrainBatchEnd() {} });
      manager.disable('judge');
      expect(manager.due('onTrainBatchEnd', needsOutputs)).toBe(false);
      manager.enable('judge');
      expect(manager.due('onTrainBatchEnd', needsOutputs)).toBe(true);
      manager.remove('judge');
      await manager.call('onStepEnd', stepEnd()); // tears it down
      expect(manager.due('onTrainBatchEnd', needsOutputs)).toBe(false);
    });

    test('counts a hook that the event will set up first, so that it is given what it needs', async () => {
      const manager = await started({ name: 'plain', onTrainBatchEnd() {} });
      manager.add({ name: 'judge', needs: ['outputs'], onTrainBatchEnd() {} });
      expect(manager.due('onTrainBatchEnd', needsOutputs)).toBe(true);
    });

    test('changes nothing about who is called next', async () => {
      const seen: string[] = [];
      const manager = await started(
        { name: 'first', onStepEnd: once(() => void seen.push('first')) },
        { name: 'second', onStepEnd: () => void seen.push('second') },
      );
      for (const name of ['first', 'second', 'nobody'])
        manager.due('onStepEnd', (hook) => hook.name === name);
      await manager.call('onStepEnd', stepEnd());
      expect(seen).toEqual(['first', 'second']);
    });
  });
});

describe('an event inside the tape', () => {
  const forward = {} as never;

  test('reports a hook that returns a promise, and calls the others', async () => {
    const run = testRun();
    const manager = new HookManager();
    const seen: string[] = [];
    manager.add({ name: 'slow', onForward: async () => {} });
    manager.add({ name: 'fast', onForward: () => void seen.push('fast') });
    await manager.setup('fit', run.contextFor);
    expect(manager.call('onForward', forward)).toBeUndefined();
    expect(seen).toEqual(['fast']);
    expect(run.lines).toMatchObject([
      {
        hook: 'slow',
        fields: { err: { code: 'SYNC_EVENT' } },
        message: expect.stringContaining('onForward'),
      },
    ]);
  });

  test('never lets the rejection of such a promise go unhandled', async () => {
    const unhandled: unknown[] = [];
    const listener = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', listener);
    try {
      const manager = await started({
        name: 'slow',
        onForward: () => Promise.reject(new Error('late')) as never,
      });
      for (let call = 0; call < 3; call++) manager.call('onForward', forward);
      await later();
      await later();
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', listener);
    }
  });

  test('disables a hook that keeps returning promises', async () => {
    const manager = await started({ name: 'slow', onForward: async () => {} });
    for (let call = 0; call < 3; call++) manager.call('onForward', forward);
    expect(manager.list()).toMatchObject([{ enabled: false }]);
  });

  test('ends the run when it is a transform', async () => {
    const manager = await started({ name: 'slow', transformActivation: (async () => undefined) as never });
    expect(() => manager.transform('transformActivation', forward, (event) => event)).toThrowError(
      expect.objectContaining({ code: 'SYNC_EVENT' }),
    );
  });
});

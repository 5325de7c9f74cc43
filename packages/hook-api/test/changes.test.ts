import { beforeEach, describe, expect, test } from 'vitest';
import { type Gradients, type Hook, HookManager } from '../src/index.js';
import { stepEnd, type TestRun, testRun } from './test-context.js';

let manager: HookManager;
let run: TestRun;
let seen: string[];

beforeEach(() => {
  manager = new HookManager();
  run = testRun();
  seen = [];
});

/** Tells of every call; the first `onStepEnd` also does `act`. */
function witness(name: string, act?: () => unknown): Hook {
  let acted = false;
  return {
    name,
    setup: () => void seen.push(`setup ${name}`),
    onStepEnd: () => {
      seen.push(`step ${name}`);
      if (acted) return;
      acted = true;
      act?.();
    },
    onEpochEnd: () => void seen.push(`epoch ${name}`),
    teardown: () => void seen.push(`teardown ${name}`),
  };
}

async function begin(...hooks: Hook[]): Promise<void> {
  for (const hook of hooks) manager.add(hook);
  await manager.setup('fit', run.contextFor);
  seen.length = 0;
}

describe('inside a hook', () => {
  test('add: the running dispatch does not see the new hook, the next event finds it set up', async () => {
    await begin(
      witness('a', () => manager.add(witness('new'))),
      witness('b'),
    );
    await manager.call('onStepEnd', stepEnd());
    expect(seen).toEqual(['step a', 'step b']);
    await manager.call('onEpochEnd', { epoch: 0, metrics: {} });
    expect(seen.slice(2)).toEqual(['setup new', 'epoch a', 'epoch b', 'epoch new']);
  });

  test('add: the new hook takes its place in the order, not the end', async () => {
    await begin(
      witness('a', () => manager.add(witness('new'))),
      witness('checkpoint'),
    );
    await manager.call('onStepEnd', stepEnd());
    seen.length = 0;
    await manager.call('onStepEnd', stepEnd());
    expect(seen).toEqual(['setup new', 'step a', 'step new', 'step checkpoint']);
  });

  test('remove: the running dispatch still calls the hook, then it is torn down, once', async () => {
    await begin(
      witness('a', () => manager.remove('b')),
      witness('b'),
    );
    await manager.call('onStepEnd', stepEnd());
    expect(seen).toEqual(['step a', 'step b']);
    await manager.call('onStepEnd', stepEnd());
    await manager.teardown();
    expect(seen.slice(2)).toEqual(['teardown b', 'step a', 'teardown a']);
  });

  test('a hook may remove itself', async () => {
    await begin(
      witness('a', () => manager.remove('a')),
      witness('b'),
    );
    for (let step = 0; step < 2; step++) await manager.call('onStepEnd', stepEnd());
    expect(seen).toEqual(['step a', 'step b', 'teardown a', 'step b']);
  });

  test('disable: the running dispatch still calls the hook, later ones do not', async () => {
    await begin(
      witness('a', () => manager.disable('b')),
      witness('b'),
    );
    for (let step = 0; step < 2; step++) await manager.call('onStepEnd', stepEnd());
    expect(seen).toEqual(['step a', 'step b', 'step a']);
  });

  test('enable: a hook that was off from the start is set up before the next event', async () => {
    manager.add(witness('sleeper'), { enabled: false });
    await begin(witness('a', () => manager.enable('sleeper')));
    for (let step = 0; step < 2; step++) await manager.call('onStepEnd', stepEnd());
    expect(seen).toEqual(['step a', 'setup sleeper', 'step sleeper', 'step a']);
  });

  test('the same holds while a dispatch is waiting for a promise', async () => {
    const slow: Hook = {
      name: 'slow',
      onStepEnd: async () => {
        await Promise.resolve();
        if (!manager.get('new')) manager.add(witness('new'));
        if (manager.get('b')) manager.remove('b');
      },
    };
    await begin(slow, witness('b'));
    await manager.call('onStepEnd', stepEnd());
    expect(seen).toEqual(['step b']);
    await manager.call('onStepEnd', stepEnd());
    expect(seen.slice(1)).toEqual(['setup new', 'teardown b', 'step new']);
  });

  test('a setup may add another hook, which is set up in the same go', async () => {
    await begin({ name: 'parent', setup: () => void manager.add(witness('child')) });
    manager.remove('child');
    await manager.call('onStepEnd', stepEnd());
    expect(seen).toEqual(['teardown child']);
  });

  test('a hook removed while it is being set up is torn down', async () => {
    const hasty: Hook = { ...witness('hasty'), setup: () => manager.remove('hasty') };
    await begin();
    manager.add(hasty);
    await manager.call('onStepEnd', stepEnd());
    expect(seen).toEqual(['teardown hasty']);
  });

  test('a hook removed before it was ever set up is neither set up nor torn down', async () => {
    await begin(witness('a'));
    manager.add(witness('guest'));
    manager.remove('guest');
    await manager.call('onStepEnd', stepEnd());
    await manager.teardown();
    expect(seen).toEqual(['step a', 'teardown a']);
  });
});

describe('a disabled hook', () => {
  test('stays registered, and comes back without a second setup', async () => {
    await begin(witness('a'));
    manager.disable('a');
    await manager.call('onStepEnd', stepEnd());
    expect(manager.list()).toMatchObject([{ name: 'a', enabled: false }]);
    manager.enable('a');
    await manager.call('onStepEnd', stepEnd());
    expect(seen).toEqual(['step a']);
  });

  test('keeps its state, and a checkpoint keeps it too', async () => {
    let count = 0;
    await begin({
      name: 'counter',
      onStepEnd: () => void count++,
      saveState: () => ({ count }),
    });
    await manager.call('onStepEnd', stepEnd());
    manager.disable('counter');
    await manager.call('onStepEnd', stepEnd());
    expect(manager.saveState()).toEqual({ counter: { state: { count: 1 } } });
    manager.enable('counter');
    await manager.call('onStepEnd', stepEnd());
    expect(count).toBe(2);
  });

  test('makes nobody wait: switching off needs no promise', async () => {
    await begin(witness('a'), witness('b'));
    manager.disable('b');
    expect(manager.call('onStepEnd', stepEnd())).toBeUndefined();
    expect(manager.due('onTestEnd')).toBe(false);
  });
});

describe('while a setup is owed', () => {
  test('every event that can wait is due, so that the hook comes in at the next one', async () => {
    await begin();
    manager.add(witness('new'));
    expect(manager.due('onInit')).toBe(true);
    await manager.call('onInit', { stage: 'fit' });
    expect(seen).toEqual(['setup new']);
    expect(manager.due('onInit')).toBe(false);
  });

  test('events inside the tape continue without the hook', async () => {
    const forward: Hook = { name: 'tap', onForward: () => void seen.push('forward') };
    await begin({ name: 'early', onForward: () => void seen.push('early forward') });
    manager.add({ ...forward, setup: async () => void seen.push('setup tap') });
    expect(manager.call('onForward', {} as never)).toBeUndefined();
    expect(seen).toEqual(['early forward']);
    await manager.call('onStepEnd', stepEnd());
    manager.call('onForward', {} as never);
    expect(seen.slice(1)).toEqual(['setup tap', 'early forward', 'forward']);
  });

  test('a transform waits for it too, and the new hook takes part', async () => {
    await begin();
    manager.add({ name: 'new', transformGradients: () => ({ path: 'replaced' as never }) });
    const { gradients } = await manager.transform(
      'transformGradients',
      { step: 0, gradients: {} },
      (event, result) => ({ ...event, gradients: result as Gradients }),
    );
    expect(gradients).toEqual({ path: 'replaced' });
  });
});

test('a hook removed at the very end of a run is torn down with the others', async () => {
  await begin(witness('a'), witness('b'));
  manager.remove('a');
  await manager.teardown();
  expect(seen).toEqual(['teardown a', 'teardown b']);
});

test('a hook added at the very end of a run is not set up any more', async () => {
  await begin({
    name: 'restorer',
    onCheckpointLoad: () => {},
    teardown: () => manager.call('onCheckpointLoad', { reason: 'best', path: 'best' }),
  });
  manager.add(witness('late'));
  await manager.teardown();
  expect(seen).toEqual([]);
});

test('the error of a removed hook that fails in its teardown comes out at the end of the run', async () => {
  await begin({
    name: 'a',
    onError: 'fail',
    teardown: () => {
      throw new Error('disk full');
    },
  });
  manager.remove('a');
  await manager.call('onStepEnd', stepEnd());
  expect(await manager.teardown()).toMatchObject([
    { hook: 'a', error: { message: 'disk full' }, fatal: true },
  ]);
});

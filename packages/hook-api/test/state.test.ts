import { describe, expect, test } from 'vitest';
import {
  after,
  every,
  type Hook,
  type HookHandler,
  HookManager,
  type HookState,
  type LoadedHookState,
  once,
  type SavedHook,
  sample,
  when,
} from '../src/index.js';
import { range, type TestRun, testRun, walkSteps } from './test-context.js';

type OnStepEnd = HookHandler<'onStepEnd'>;

async function started(run: TestRun, ...hooks: Hook[]): Promise<HookManager> {
  const manager = new HookManager();
  for (const hook of hooks) manager.add(hook);
  await manager.setup('fit', run.contextFor);
  return manager;
}

/** As a checkpoint file would do it. */
const throughJson = (saved: Record<string, SavedHook>): Record<string, SavedHook<LoadedHookState>> =>
  JSON.parse(JSON.stringify(saved));

const keeper = (name: string, state: HookState): Hook & { state: HookState } => ({
  name,
  state,
  saveState() {
    return this.state;
  },
  loadState(saved) {
    this.state = saved;
  },
});

describe('the states of hooks', () => {
  test('are saved under their names and handed back', async () => {
    const saved = throughJson(
      (await started(testRun(), keeper('a', { best: 0.5 }), keeper('b', [1, 2]), { name: 'c' })).saveState(),
    );
    expect(saved).toEqual({ a: { state: { best: 0.5 } }, b: { state: [1, 2] }, c: {} });
    const [a, b] = [keeper('a', null), keeper('b', null)];
    const manager = await started(testRun(), b, a);
    expect(manager.loadState(saved)).toEqual(['c']);
    expect(a.state).toEqual({ best: 0.5 });
    expect(b.state).toEqual([1, 2]);
  });

  test('may hold tensors, which pass through as they are', async () => {
    const average = { dtype: 'float32' as const, shape: [2], data: new Float32Array([1, 2]) };
    const saved = (await started(testRun(), keeper('ema', { json: 1, tensors: { average } }))).saveState();
    const ema = keeper('ema', null);
    (await started(testRun(), ema)).loadState(saved as Record<string, SavedHook<LoadedHookState>>);
    expect(ema.state).toEqual({ json: 1, tensors: { average } });
  });

  test('of hooks that are not here are named, not lost in silence', async () => {
    const manager = await started(testRun(), { name: 'a' });
    expect(manager.loadState({ a: {}, gone: { state: 1 }, 'also-gone': {} })).toEqual(['gone', 'also-gone']);
  });

  test('are left alone where nothing was saved', async () => {
    const a = keeper('a', 'fresh');
    const manager = await started(testRun(), a);
    expect(manager.loadState({})).toEqual([]);
    expect(a.state).toBe('fresh');
  });

  test.each([
    ['saveState', 'Hook "fragile" could not save its state: oops'],
    ['loadState', 'Hook "fragile" could not load its state: oops'],
  ] as const)('whose %s throws are named in the error', async (method, message) => {
    const cause = new Error('oops');
    const manager = await started(testRun(), {
      name: 'fragile',
      [method]: () => {
        throw cause;
      },
    });
    const act = () =>
      method === 'saveState' ? manager.saveState() : manager.loadState({ fragile: { state: 1 } });
    expect(act).toThrowError(expect.objectContaining({ code: 'HOOK_STATE', message, cause }));
  });
});

describe('a run that is saved after some step and resumed', () => {
  const filters: [string, (handler: OnStepEnd) => OnStepEnd][] = [
    ['every', (handler) => every({ steps: 4 }, handler)],
    ['once', (handler) => once(handler)],
    ['after', (handler) => after({ steps: 7 }, handler)],
    ['sample', (handler) => sample(0.4, handler)],
    ['when', (handler) => when(({ state }) => state.step % 3 === 0, handler)],
    ['every in when', (handler) => when(({ state }) => state.step % 3 === 0, every({ steps: 4 }, handler))],
    ['once in after', (handler) => after({ steps: 5 }, once(handler))],
    ['every of a fraction', (handler) => every({ steps: 2.5 }, handler)],
  ];

  test.each(filters)('continues as if it had never stopped: %s', async (_, wrap) => {
    const hook = (fired: number[]): Hook => ({
      name: 'a',
      onStepEnd: wrap((ctx) => void fired.push(ctx.state.step)),
    });
    const whole: number[] = [];
    const run = testRun();
    await walkSteps(await started(run, hook(whole)), run, range(20));
    expect(whole.length).toBeGreaterThan(0);

    for (const stop of range(19)) {
      const fired: number[] = [];
      const before = testRun();
      const first = await started(before, hook(fired));
      await walkSteps(first, before, range(stop));
      const saved = throughJson(first.saveState());

      const resumed = testRun();
      const second = await started(resumed, hook(fired));
      resumed.state.step = stop;
      second.loadState(saved);
      await walkSteps(second, resumed, range(20).slice(stop));
      expect(fired, `saved after step ${stop}`).toEqual(whole);
    }
  });

  test('counts from where it resumes when the hook was not there before', async () => {
    const fired: number[] = [];
    const run = testRun();
    const manager = await started(run, {
      name: 'new',
      onStepEnd: every({ steps: 10 }, (ctx) => void fired.push(ctx.state.step)),
    });
    run.state.step = 25;
    manager.loadState({});
    await walkSteps(manager, run, range(40).slice(25));
    expect(fired).toEqual([30, 40]);
  });

  /** Saves a run of 500 steps with one filter, and resumes it with another. */
  const resumedWith = async (
    before: (handler: OnStepEnd) => OnStepEnd,
    now: (handler: OnStepEnd) => OnStepEnd,
    steps: number[],
  ) => {
    const run = testRun();
    const first = await started(run, { name: 'a', onStepEnd: before(() => {}) });
    await walkSteps(first, run, range(500));
    const fired: number[] = [];
    const resumed = testRun();
    const second = await started(resumed, {
      name: 'a',
      onStepEnd: now((ctx) => void fired.push(ctx.state.step)),
    });
    resumed.state.step = 500;
    second.loadState(throughJson(first.saveState()));
    await walkSteps(second, resumed, steps);
    return fired;
  };
  const next = range(730).slice(500);

  test('takes up another pace at once, slower or faster', async () => {
    const pace = (steps: number) => (handler: OnStepEnd) => every({ steps }, handler);
    expect(await resumedWith(pace(10), pace(100), next)).toEqual([600, 700]);
    expect(await resumedWith(pace(100), pace(90), next)).toEqual([540, 630, 720]);
  });

  test('takes up another filter, another unit, or a filter where there was none', async () => {
    const perStep = (handler: OnStepEnd) => every({ steps: 100 }, handler);
    const others: ((handler: OnStepEnd) => OnStepEnd)[] = [
      (handler) => handler,
      (handler) => once(handler),
      (handler) => every({ epochs: 1 }, handler),
      (handler) => when(() => true, every({ steps: 7 }, handler)),
      (handler) => once(when(() => true, handler)),
    ];
    for (const before of others) expect(await resumedWith(before, perStep, next)).toEqual([600, 700]);
    expect(await resumedWith(perStep, once, next)).toEqual([501]);
  });

  test('is not harmed by a state that makes no sense', async () => {
    const run = testRun();
    const fired: number[] = [];
    const manager = await started(run, {
      name: 'a',
      onStepEnd: every({ steps: 2 }, (ctx) => void fired.push(ctx.state.step)),
    });
    for (const state of ['text', 7, null, [], [[]], ['x', 'y'], { a: 1 }]) {
      manager.loadState({ a: { filters: { onStepEnd: state } } });
    }
    await walkSteps(manager, run, range(4));
    expect(fired).toEqual([2, 4]);
  });
});

test('filters are saved for each method, beside the state of the hook', async () => {
  const run = testRun();
  const manager = await started(run, {
    ...keeper('a', 'mine'),
    onStepEnd: every({ steps: 5 }, () => {}),
    onEpochEnd: once(() => {}),
    onLog() {},
  });
  await walkSteps(manager, run, range(6));
  const { a } = manager.saveState();
  expect(a?.state).toBe('mine');
  expect(Object.keys(a?.filters ?? {})).toEqual(['onStepEnd', 'onEpochEnd']);
});

import { describe, expect, test } from 'vitest';
import {
  after,
  type Cadence,
  every,
  filterOf,
  type Hook,
  type HookHandler,
  HookManager,
  once,
  sample,
  when,
} from '../src/index.js';
import { range, stepEnd, type TestRun, testRun, walkSteps } from './test-context.js';

type OnStepEnd = HookHandler<'onStepEnd'>;

/** The steps after which the method was called, when all of `steps` are walked. */
async function firedAt(
  wrap: (handler: OnStepEnd) => OnStepEnd,
  steps: Iterable<number>,
  run: TestRun = testRun(),
): Promise<number[]> {
  const fired: number[] = [];
  const manager = new HookManager();
  manager.add({ name: 'a', onStepEnd: wrap((ctx) => void fired.push(ctx.state.step)) });
  await manager.setup('fit', run.contextFor);
  await walkSteps(manager, run, steps);
  return fired;
}

describe('every', () => {
  test('calls after each n steps', async () => {
    expect(await firedAt((handler) => every({ steps: 3 }, handler), range(10))).toEqual([3, 6, 9]);
    expect(await firedAt((handler) => every({ steps: 1 }, handler), range(4))).toEqual([1, 2, 3, 4]);
  });

  test('never misses one when steps jump: what counts is that a multiple was crossed', async () => {
    expect(await firedAt((handler) => every({ steps: 10 }, handler), [3, 9, 11, 12, 35, 39, 41])).toEqual([
      11, 35, 41,
    ]);
  });

  test('counts a multiple only once, however many are crossed at a time', async () => {
    expect(await firedAt((handler) => every({ steps: 10 }, handler), [55, 56, 59, 60])).toEqual([55, 60]);
  });

  test('calls at the very beginning when the method is at the start of a step', async () => {
    expect(await firedAt((handler) => every({ steps: 5 }, handler), [0, 1, 2, 3, 4, 5, 6])).toEqual([0, 5]);
  });

  test('does not call for a run that begins in the middle before the next multiple', async () => {
    const run = testRun();
    run.state.step = 12;
    expect(await firedAt((handler) => every({ steps: 5 }, handler), [13, 14, 15, 16], run)).toEqual([15]);
  });

  test('counts epochs completed', async () => {
    const run = testRun();
    const fired: number[] = [];
    const manager = new HookManager();
    manager.add({ name: 'a', onEpochEnd: every({ epochs: 2 }, (_, { epoch }) => void fired.push(epoch)) });
    await manager.setup('fit', run.contextFor);
    for (let epoch = 0; epoch < 6; epoch++) {
      Object.assign(run.state, { epoch, completedEpochs: epoch + 1 });
      await manager.call('onEpochEnd', { epoch, metrics: {} });
    }
    expect(fired).toEqual([1, 3, 5]);
  });

  test('counts seconds of the run', async () => {
    const run = testRun();
    const fired: number[] = [];
    const manager = new HookManager();
    const handler: OnStepEnd = (ctx) => void fired.push(ctx.state.elapsedSeconds);
    manager.add({ name: 'a', onStepEnd: every({ seconds: 60 }, handler) });
    await manager.setup('fit', run.contextFor);
    for (const seconds of [0.5, 59.9, 60.2, 70, 185, 186]) {
      run.state.elapsedSeconds = seconds;
      run.state.step++;
      await manager.call('onStepEnd', stepEnd());
    }
    expect(fired).toEqual([60.2, 185]);
  });

  test('once due, gets all calls of that batch: every tapped layer, every optimizer', async () => {
    const run = testRun();
    const fired: string[] = [];
    const manager = new HookManager();
    manager.add({
      name: 'a',
      onForward: every({ steps: 2 }, ({ state }, { path }) => void fired.push(`${path} at ${state.step}`)),
    });
    await manager.setup('fit', run.contextFor);
    for (run.state.step = 1; run.state.step <= 4; run.state.step++) {
      run.state.batchIndex = run.state.step;
      for (const path of ['dense_1', 'dense_2']) manager.call('onForward', { path } as never);
    }
    expect(fired).toEqual(['dense_1 at 2', 'dense_2 at 2', 'dense_1 at 4', 'dense_2 at 4']);
  });

  test('calls once for a step of several batches', async () => {
    const run = testRun();
    const fired: number[] = [];
    const manager = new HookManager();
    const handler: HookHandler<'onTrainBatchEnd'> = ({ state }) => void fired.push(state.batchIndex);
    manager.add({ name: 'a', onTrainBatchEnd: every({ steps: 2 }, handler) });
    await manager.setup('fit', run.contextFor);
    for (let batch = 0; batch < 20; batch++) {
      Object.assign(run.state, { batchIndex: batch, step: 1 + Math.floor(batch / 4) });
      await manager.call('onTrainBatchEnd', {} as never);
    }
    expect(fired).toEqual([4, 12]);
  });

  test.each([
    [{ steps: 0 }],
    [{ steps: -1 }],
    [{ steps: Number.NaN }],
    [{ steps: '10' }],
    [{ batches: 10 }],
    [{ steps: 1, epochs: 1 }],
    [{}],
    [undefined],
    [10],
  ])('refuses the cadence %o and says what it was', (cadence) => {
    for (const filter of [every, after]) {
      expect(() => filter(cadence as Cadence, () => {})).toThrowError(
        expect.objectContaining({
          code: 'FILTER_OPTIONS',
          message: expect.stringMatching(/^(every|after)\(\) expects one of \{ steps \}.*, got .+\.$/),
        }),
      );
    }
    expect(() => every({ steps: Number.NaN }, () => {})).toThrow('got {"steps":"NaN"}');
  });
});

test('once calls the first time only', async () => {
  expect(await firedAt(once, range(5))).toEqual([1]);
});

test('after calls from then on', async () => {
  expect(await firedAt((handler) => after({ steps: 3 }, handler), range(5))).toEqual([3, 4, 5]);
  const run = testRun();
  run.state.completedEpochs = 2;
  expect(await firedAt((handler) => after({ epochs: 2 }, handler), range(2), run)).toEqual([1, 2]);
  expect(await firedAt((handler) => after({ epochs: 3 }, handler), range(2), run)).toEqual([]);
});

describe('when', () => {
  test('calls when the test of the context passes', async () => {
    expect(await firedAt((handler) => when(({ state }) => state.step % 4 === 1, handler), range(9))).toEqual([
      1, 5, 9,
    ]);
  });

  test('refuses a test that is none', () => {
    expect(() => when(true as never, () => {})).toThrow('when() expects a function of ctx, got true.');
  });
});

describe('sample', () => {
  const sampled = (rate: number, { seed = 1, steps = 10_000 } = {}) =>
    firedAt((handler) => sample(rate, handler), range(steps), testRun({ seed }));

  test.each([0.01, 0.1, 0.5, 0.9])('calls for about %d of the batches', async (rate) => {
    const share = (await sampled(rate)).length / 10_000;
    // Four standard deviations.
    expect(Math.abs(share - rate)).toBeLessThan(4 * Math.sqrt((rate * (1 - rate)) / 10_000));
  });

  test('calls for none or all at the ends of the scale', async () => {
    expect(await sampled(0, { steps: 500 })).toEqual([]);
    expect(await sampled(1, { steps: 500 })).toHaveLength(500);
  });

  test('chooses the same batches in every run with the same seed, and others with another', async () => {
    const first = await sampled(0.2, { steps: 500 });
    expect(await sampled(0.2, { steps: 500 })).toEqual(first);
    expect(await sampled(0.2, { steps: 500, seed: 2 })).not.toEqual(first);
  });

  test('chooses by the step, not by how often it was asked: a resumed run continues the same', async () => {
    const all = await sampled(0.2, { steps: 500 });
    const resumed = await firedAt((handler) => sample(0.2, handler), range(500).slice(200));
    expect(resumed).toEqual(all.filter((step) => step > 200));
  });

  test('chooses for each hook on its own', async () => {
    const fired: Record<string, number[]> = { a: [], b: [] };
    const run = testRun();
    const manager = new HookManager();
    const hook = (name: string): Hook => ({
      name,
      onStepEnd: sample(0.2, (ctx) => void fired[name]?.push(ctx.state.step)),
    });
    manager.add(hook('a'));
    manager.add(hook('b'));
    await manager.setup('fit', run.contextFor);
    await walkSteps(manager, run, range(500));
    expect(fired.a).not.toEqual(fired.b);
  });

  test('uses no random number of the program', async () => {
    const { random } = Math;
    Math.random = () => expect.unreachable('Math.random was called');
    try {
      await sampled(0.5, { steps: 10 });
    } finally {
      Math.random = random;
    }
  });

  test.each([-0.1, 1.1, Number.NaN])('refuses the rate %d', (rate) => {
    expect(() => sample(rate, () => {})).toThrow(`sample() expects a rate from 0 to 1, got ${rate}.`);
  });
});

describe('nested filters', () => {
  test('must all agree', async () => {
    const wrap = (handler: OnStepEnd) => after({ steps: 5 }, every({ steps: 2 }, handler));
    expect(await firedAt(wrap, range(9))).toEqual([5, 6, 8]);
  });

  test('keep a crossing for the first moment at which the others agree', async () => {
    const even = ({ state }: { state: { step: number } }) => state.step % 2 === 0;
    expect(await firedAt((handler) => every({ steps: 5 }, when(even, handler)), range(16))).toEqual([
      6, 10, 16,
    ]);
    expect(await firedAt((handler) => when(even, every({ steps: 5 }, handler)), range(16))).toEqual([
      6, 10, 16,
    ]);
  });

  test('may be deeper than two', async () => {
    const wrap = (handler: OnStepEnd) =>
      once(
        after(
          { steps: 3 },
          when(() => true, every({ steps: 2 }, handler)),
        ),
      );
    expect(await firedAt(wrap, range(9))).toEqual([3]);
  });
});

describe('a filtered method', () => {
  test('is due exactly when it would be called, and asking changes nothing', async () => {
    const run = testRun();
    const fired: number[] = [];
    const manager = new HookManager();
    manager.add({ name: 'a', onStepEnd: every({ steps: 3 }, (ctx) => void fired.push(ctx.state.step)) });
    await manager.setup('fit', run.contextFor);
    const due: number[] = [];
    for (const step of range(7)) {
      Object.assign(run.state, { step, batchIndex: step });
      manager.due('onStepEnd');
      if (manager.due('onStepEnd')) due.push(step);
      await manager.call('onStepEnd', stepEnd());
    }
    expect(due).toEqual([3, 6]);
    expect(fired).toEqual([3, 6]);
  });

  test('costs no payload while nobody else is due', async () => {
    const run = testRun();
    const manager = new HookManager();
    manager.add({ name: 'a', onStepEnd: every({ steps: 100 }, () => {}) });
    await manager.setup('fit', run.contextFor);
    run.state.step = 1;
    expect(manager.due('onStepEnd')).toBe(false);
    manager.add({ name: 'b', onStepEnd() {} });
    await manager.call('onStepEnd', stepEnd());
    expect(manager.due('onStepEnd')).toBe(true);
  });

  test('keeps `this`, its arguments and its result', async () => {
    const hook = {
      name: 'a',
      seen: [] as unknown[],
      onStepEnd: every({ steps: 1 }, async function (this: { seen: unknown[] }, ...args: unknown[]) {
        await Promise.resolve();
        this.seen.push(args.length);
      }),
    };
    const run = testRun();
    const manager = new HookManager();
    manager.add(hook);
    await manager.setup('fit', run.contextFor);
    run.state.step = 1;
    await manager.call('onStepEnd', stepEnd());
    expect(hook.seen).toEqual([2]);
  });

  test('can be called by hand, as a hook author does in a test', () => {
    const run = testRun();
    const fired: number[] = [];
    const handler: OnStepEnd = every({ steps: 2 }, (ctx) => void fired.push(ctx.state.step));
    const ctx = run.contextFor({ name: 'a' });
    for (run.state.step = 1; run.state.step <= 4; run.state.step++) {
      run.state.batchIndex = run.state.step;
      handler(ctx, stepEnd());
    }
    expect(fired).toEqual([2, 4]);
  });

  test('is due again for a batch that a resumed run begins with again, and not for the next one', async () => {
    const fired: string[] = [];
    const make = (name: string) => {
      const manager = new HookManager();
      manager.add({ name: 'a', onStepEnd: every({ steps: 2 }, () => void fired.push(name)) });
      return manager;
    };
    const run = testRun();
    const first = make('first');
    await first.setup('fit', run.contextFor);
    await walkSteps(first, run, [1, 2]);
    const saved = JSON.parse(JSON.stringify(first.saveState()));
    const resumed = make('resumed');
    await resumed.setup('fit', run.contextFor);
    resumed.loadState(saved);
    await resumed.call('onStepEnd', stepEnd());
    run.state.batchIndex++;
    await resumed.call('onStepEnd', stepEnd());
    expect(fired).toEqual(['first', 'resumed']);
  });

  test('may be setup or teardown as well', async () => {
    const seen: string[] = [];
    const manager = new HookManager();
    manager.add({
      name: 'a',
      setup: when(
        () => false,
        () => void seen.push('setup'),
      ),
      teardown: when(
        () => true,
        () => void seen.push('teardown'),
      ),
    });
    await manager.setup('fit', testRun().contextFor);
    await manager.teardown();
    expect(seen).toEqual(['teardown']);
  });

  test('forgets the previous run', async () => {
    const run = testRun();
    const fired: string[] = [];
    const manager = new HookManager();
    manager.add({
      name: 'a',
      onTrainStart: when(
        () => true,
        once(() => void fired.push('started')),
      ),
      onStepEnd: every({ steps: 4 }, (ctx) => void fired.push(`step ${ctx.state.step}`)),
    });
    for (let times = 0; times < 2; times++) {
      run.state.step = 0;
      await manager.setup('fit', run.contextFor);
      for (let start = 0; start < 2; start++)
        await manager.call('onTrainStart', { epochs: 1, batchesPerEpoch: 6 });
      await walkSteps(manager, run, range(6));
      await manager.teardown();
    }
    expect(fired).toEqual(['started', 'step 4', 'started', 'step 4']);
  });

  test('is marked, and a plain one is not', () => {
    expect(filterOf(once(() => {}))).toBeDefined();
    expect(filterOf(() => {})).toBeUndefined();
  });

  test('cannot be made of what is not a function', () => {
    expect(() => every({ steps: 1 }, undefined as never)).toThrow(
      'every() expects a method as its last argument, got undefined.',
    );
    expect(() => once(5 as never)).toThrow('once() expects a method as its last argument, got 5.');
  });
});

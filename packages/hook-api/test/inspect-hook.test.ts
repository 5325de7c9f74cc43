import { describe, expect, test } from 'vitest';
import { assertHook, EVENTS, every, type Hook, kindsOf, TrainerHook } from '../src/index.js';

const problemOf = (hook: unknown): { code?: string; message?: string } => {
  try {
    assertHook(hook);
    return {};
  } catch (error) {
    return error as { code: string; message: string };
  }
};

describe('a mistyped method', () => {
  class Mistyped extends TrainerHook {
    readonly name = 'mine';
    onTrainBatchEn(): void {}
  }
  class Inherits extends Mistyped {}
  const field = new (class {
    readonly name = 'mine';
    onTrainBatchEn = every({ steps: 1 }, () => {});
  })();

  test.each<[string, object]>([
    ['an object', { name: 'mine', onTrainBatchEn() {} }],
    ['a class', new Mistyped()],
    ['a base class', new Inherits()],
    ['a wrapped field', field],
  ])('of %s is reported with the nearest event', (_, hook) => {
    expect(problemOf(hook)).toMatchObject({
      code: 'UNKNOWN_EVENT',
      message:
        'Hook "mine" has a method "onTrainBatchEn", but there is no such event. Did you mean "onTrainBatchEnd"? ' +
        'Only events begin with "on" or "transform".',
    });
  });

  test.each([
    ['ontrainbatchend', 'onTrainBatchEnd'],
    ['on_train_batch_end', 'onTrainBatchEnd'],
    ['onEpochsEnd', 'onEpochEnd'],
    ['transformGradient', 'transformGradients'],
    ['transform_batch', 'transformBatch'],
    ['setUp', 'setup'],
    ['tearDown', 'teardown'],
    ['savestate', 'saveState'],
    ['LoadState', 'loadState'],
  ])('%s: %s is meant', (method, event) => {
    expect(problemOf({ name: 'mine', [method]() {} }).message).toContain(`Did you mean "${event}"?`);
  });

  test('is found for every event there is', () => {
    for (const event of Object.keys(EVENTS).filter((name) => /^(on|transform)/.test(name))) {
      expect(problemOf({ name: 'mine', [`${event}s`]() {} }).message).toContain(`Did you mean "${event}"?`);
    }
  });

  test('that is like no event is reported without a guess', () => {
    const { message } = problemOf({ name: 'mine', onSomethingEntirelyDifferent() {} });
    expect(message).toContain('there is no such event. Only events');
  });
});

describe('a hook', () => {
  test('may have helpers, fields, getters and symbols of its own', () => {
    const hook = {
      name: 'mine',
      once() {},
      only: 1,
      transformer() {},
      online: true,
      onTop: 5,
      reset() {},
      get onFire(): () => void {
        throw new Error('a getter was run');
      },
      [Symbol.dispose]() {},
    };
    expect(problemOf(hook)).toEqual({});
  });

  test('may be without a prototype, or frozen', () => {
    expect(problemOf(Object.assign(Object.create(null), { name: 'bare' }))).toEqual({});
    expect(problemOf(Object.freeze({ name: 'frozen', onStepEnd() {} }))).toEqual({});
  });

  test.each<[string, unknown, string]>([
    ['undefined', undefined, 'got undefined'],
    ['null', null, 'got null'],
    ['a name', 'early-stopping', 'got "early-stopping"'],
    ['a class', class EarlyStopping {}, 'got function EarlyStopping. Call its factory'],
    ['a factory', function ema() {}, 'got function ema. Call its factory'],
  ])('is not %s', (_, value, message) => {
    const problem = problemOf(value);
    expect(problem.code).toBe('NOT_A_HOOK');
    expect(problem.message).toContain(message);
  });

  test.each([undefined, '', 5, null])('needs a name, not %o', (name) => {
    const problem = problemOf({ name, onStepEnd() {}, helper() {} });
    expect(problem.code).toBe('NOT_A_HOOK');
    expect(problem.message).toContain('A hook needs a name');
    expect(problem.message).toContain('Its methods: onStepEnd, helper.');
  });

  test.each(['onStepEnd', 'setup', 'saveState'])('cannot have a %s that is not a method', (method) => {
    const problem = problemOf({ name: 'mine', [method]: { handler() {} } });
    expect(problem).toMatchObject({
      code: 'NOT_A_HOOK',
      message: `Hook "mine": expected ${method} to be a method, got {}.`,
    });
    expect(problemOf({ name: 'mine', [method]: undefined })).toEqual({});
  });

  test('has one of the two ways to take errors', () => {
    for (const onError of ['isolate', 'fail', undefined])
      expect(problemOf({ name: 'a', onError })).toEqual({});
    expect(problemOf({ name: 'mine', onError: 'Fail' })).toMatchObject({
      code: 'NOT_A_HOOK',
      message: 'Hook "mine": expected onError to be "isolate" or "fail", got "Fail".',
    });
    expect(problemOf({ name: 'mine', onError() {} }).message).toContain('got function onError');
  });
});

describe('what a hook needs', () => {
  test.each([undefined, [], ['outputs'], ['phases', 'outputs']])('may be %o', (needs) => {
    expect(problemOf({ name: 'mine', needs })).toEqual({});
  });

  test.each<[unknown, string]>([
    [['output'], 'got ["output"].'],
    [['outputs', 'phase'], 'got ["outputs","phase"].'],
    [[undefined], 'got [null].'],
    ['outputs', 'got "outputs".'],
    [true, 'got true.'],
    [null, 'got null.'],
  ])('is not %o', (needs, end) => {
    expect(problemOf({ name: 'mine', needs })).toMatchObject({
      code: 'NOT_A_HOOK',
      message: `Hook "mine": expected needs to be some of ["outputs","phases"], ${end}`,
    });
  });
});

test('every event is of one kind, and only these are not of the lifecycle', () => {
  const kindOf = (event: string) => kindsOf({ name: 'mine', [event]() {} });
  const events = Object.keys(EVENTS);
  expect(events.flatMap(kindOf)).toHaveLength(events.length);
  const ofKind = (kind: string) => events.filter((event) => String(kindOf(event)) === kind);
  expect(ofKind('forward')).toEqual(['onForward', 'transformActivation']);
  expect(ofKind('update')).toEqual([
    'transformGradients',
    'onGradientsReady',
    'onBeforeOptimizerStep',
    'onAfterOptimizerStep',
  ]);
});

test.each<[Omit<Hook, 'name'>, string[]]>([
  [{}, []],
  [{ setup() {}, onEpochEnd() {}, onLog() {} }, ['lifecycle']],
  [{ onForward() {} }, ['forward']],
  [{ transformActivation: () => undefined }, ['forward']],
  [{ transformGradients: () => undefined, onAfterOptimizerStep() {} }, ['update']],
  [{ setup() {}, onForward() {}, onBeforeOptimizerStep() {} }, ['lifecycle', 'forward', 'update']],
  [{ kinds: ['forward'] }, ['forward']],
  [{ setup() {}, kinds: ['lifecycle', 'forward'] }, ['lifecycle', 'forward']],
])('kinds of %o are %o', (methods, kinds) => {
  expect(kindsOf({ name: 'mine', ...methods })).toEqual(kinds);
});

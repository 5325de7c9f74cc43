import { describe, expect, test } from 'vitest';
import {
  EVENTS,
  type EventOfKind,
  every,
  type Hook,
  HookFatalError,
  HooklineError,
  HookManager,
  isFatal,
  when,
} from '../src/index.js';
import { stepEnd, type TestRun, testRun } from './test-context.js';

interface Started {
  manager: HookManager;
  run: TestRun;
}

async function started(...hooks: Hook[]): Promise<Started> {
  const manager = new HookManager();
  const run = testRun();
  for (const hook of hooks) manager.add(hook);
  await manager.setup('fit', run.contextFor);
  return { manager, run };
}

const fails = (error: unknown) => (): never => {
  throw error;
};

const observers = Object.entries(EVENTS)
  .filter(([, { kind }]) => kind === 'observe')
  .map(([name]) => name as EventOfKind<'observe'>);

describe('an `on*` method that throws', () => {
  test.each(observers)('in %s harms neither the run nor the hooks after it', async (event) => {
    const seen: string[] = [];
    const { manager, run } = await started(
      { name: 'broken', [event]: fails(new Error('oops')) },
      { name: 'next', [event]: () => void seen.push('next') },
    );
    await manager.call(event, {} as never);
    expect(seen).toEqual(['next']);
    expect(run.lines).toHaveLength(1);
  });

  test('is logged with hook, event, step, epoch and the error with its stack', async () => {
    const error = new Error('oops');
    const { manager, run } = await started({ name: 'broken', onStepEnd: fails(error) });
    Object.assign(run.state, { step: 41, epoch: 2 });
    await manager.call('onStepEnd', stepEnd());
    expect(run.lines).toEqual([
      {
        hook: 'broken',
        level: 'error',
        fields: { err: error, event: 'onStepEnd', step: 41, epoch: 2 },
        message: 'Hook "broken" failed in onStepEnd at step 41: oops',
      },
    ]);
  });

  test.each([
    ['oops', 'oops'],
    [undefined, 'undefined'],
    [null, 'null'],
    [{ message: 'from another realm' }, 'from another realm'],
  ])('may throw anything: %o', async (thrown, message) => {
    const { manager, run } = await started({
      name: 'odd',
      onStepEnd: fails(thrown),
    });
    await manager.call('onStepEnd', stepEnd());
    expect(run.lines[0]?.message).toBe(`Hook "odd" failed in onStepEnd at step 0: ${message}`);
  });

  test('may also reject: the next hook is called all the same', async () => {
    const seen: string[] = [];
    const { manager, run } = await started(
      { name: 'broken', onStepEnd: () => Promise.reject(new Error('late')) },
      { name: 'next', onStepEnd: () => void seen.push('next') },
    );
    await manager.call('onStepEnd', stepEnd());
    expect(seen).toEqual(['next']);
    expect(run.lines).toMatchObject([{ message: 'Hook "broken" failed in onStepEnd at step 0: late' }]);
  });

  test('is isolated in the predicate of a filter too, and asking who is due does not throw', async () => {
    const seen: string[] = [];
    const { manager, run } = await started(
      { name: 'broken', onStepEnd: when(fails(new Error('bad test')), () => {}) },
      { name: 'next', onStepEnd: every({ steps: 2 }, () => void seen.push('next')) },
    );
    run.state.step = 1;
    expect(manager.due('onStepEnd')).toBe(true);
    run.state.step = 2;
    await manager.call('onStepEnd', stepEnd());
    expect(seen).toEqual(['next']);
    expect(run.lines).toMatchObject([{ hook: 'broken', fields: { err: { message: 'bad test' } } }]);
  });
});

describe.each([
  ['throws', fails, () => undefined],
  [
    'rejects',
    (error: unknown) => (): Promise<void> => Promise.reject(error),
    (): Promise<void> => Promise.resolve(),
  ],
])('a method that %s', (_, failing, succeed) => {
  const flaky = (outcomes: string): Hook => {
    let call = 0;
    const fail = failing(new Error('oops'));
    return { name: 'flaky', onStepEnd: () => (outcomes[call++] === 'x' ? fail() : succeed()) };
  };
  const after = async (outcomes: string) => {
    const { manager, run } = await started(flaky(outcomes));
    for (const _outcome of outcomes) await manager.call('onStepEnd', stepEnd());
    return { enabled: manager.list()[0]?.enabled, lines: run.lines };
  };

  test('three times in a row disables its hook, with one clear line', async () => {
    const { enabled, lines } = await after('xxx');
    expect(enabled).toBe(false);
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      message: 'Hook "flaky" is disabled: onStepEnd failed 3 times in a row.',
    });
    expect(lines).toHaveLength(4);
  });

  test('twice in a row, or three times with a success in between, does not', async () => {
    expect((await after('xx')).enabled).toBe(true);
    expect((await after('xx.xx.xx')).enabled).toBe(true);
  });

  test('is not called any more once its hook is disabled', async () => {
    expect((await after('xxxxxx')).lines).toHaveLength(4);
  });
});

test('failures are counted for each method on its own', async () => {
  const { manager } = await started({
    name: 'a',
    onStepEnd: fails(new Error('oops')),
    onEpochEnd: fails(new Error('oops')),
  });
  for (let count = 0; count < 2; count++) {
    await manager.call('onStepEnd', stepEnd());
    await manager.call('onEpochEnd', { epoch: 0, metrics: {} });
  }
  expect(manager.list()).toMatchObject([{ enabled: true }]);
});

test('calls that a filter holds back do not count as successes', async () => {
  const { manager, run } = await started({
    name: 'a',
    onStepEnd: every({ steps: 2 }, fails(new Error('oops'))),
  });
  for (run.state.step = 1; run.state.step <= 6; run.state.step++) await manager.call('onStepEnd', stepEnd());
  expect(manager.list()).toMatchObject([{ enabled: false }]);
});

test('enabling a hook again gives it three new chances, and so does a new run', async () => {
  const { manager, run } = await started({ name: 'a', onStepEnd: fails(new Error('oops')) });
  const failTwice = async () => {
    for (let count = 0; count < 2; count++) await manager.call('onStepEnd', stepEnd());
  };
  await failTwice();
  manager.enable('a');
  await failTwice();
  expect(manager.list()).toMatchObject([{ enabled: true }]);
  await manager.teardown();
  await manager.setup('fit', run.contextFor);
  await failTwice();
  expect(manager.list()).toMatchObject([{ enabled: true }]);
});

test('a hook that took the place of a failing one of its name is left alone', async () => {
  let call = 0;
  const { manager } = await started({
    name: 'a',
    onStepEnd: () => {
      if (++call === 3) {
        manager.remove('a');
        manager.add({ name: 'a' });
      }
      throw new Error('oops');
    },
  });
  for (let count = 0; count < 3; count++) await manager.call('onStepEnd', stepEnd());
  expect(manager.list()).toMatchObject([{ name: 'a', enabled: true }]);
});

describe('a fatal failure', () => {
  const error = new Error('the original', { cause: 'its cause' });
  const fatal = new HookFatalError('give up', { cause: error });
  const cases: [string, Hook, unknown][] = [
    ['a HookFatalError', { name: 'a', onStepEnd: fails(fatal) }, fatal],
    ['a rejection with a HookFatalError', { name: 'a', onStepEnd: () => Promise.reject(fatal) }, fatal],
    ["any error with onError: 'fail'", { name: 'a', onError: 'fail', onStepEnd: fails(error) }, error],
    [
      "a rejection with onError: 'fail'",
      { name: 'a', onError: 'fail', onStepEnd: async () => fails(error)() },
      error,
    ],
  ];

  test.each(cases)('%s ends the run with that very error, at once', async (_, hook, expected) => {
    const seen: string[] = [];
    const { manager, run } = await started(hook, { name: 'b', onStepEnd: () => void seen.push('b') });
    const call = async () => manager.call('onStepEnd', stepEnd());
    await expect(call()).rejects.toBe(expected);
    expect(seen).toEqual([]);
    expect(run.lines).toHaveLength(1);
    expect(manager.list()[0]?.enabled).toBe(true);
  });

  test('is told to everyone, and nobody can put another error in its place', async () => {
    const seen: string[] = [];
    const { manager, run } = await started(
      { name: 'strict', onError: 'fail', onException: fails(new Error('and me')) },
      { name: 'fatal', onException: fails(new HookFatalError('and me too')) },
      { name: 'notify', onException: (_ctx, event) => void seen.push(String(event.error)) },
    );
    await manager.call('onException', { error });
    expect(seen).toEqual(['Error: the original']);
    expect(run.lines.map(({ hook }) => hook)).toEqual(['strict', 'fatal']);
  });
});

describe('HooklineError', () => {
  test('has a code, a message and its cause', () => {
    const cause = new Error('deep');
    expect(new HooklineError('SOME_CODE', 'what and where', { cause })).toMatchObject({
      name: 'HooklineError',
      code: 'SOME_CODE',
      message: 'what and where',
      cause,
    });
  });

  test('is fatal only when it is a HookFatalError', () => {
    expect(new HookFatalError('x')).toMatchObject({ name: 'HookFatalError', code: 'HOOK_FATAL' });
    expect(isFatal(new HookFatalError('x'))).toBe(true);
    for (const other of [new HooklineError('A', 'x'), new Error('x'), undefined, null, 'x']) {
      expect(isFatal(other)).toBe(false);
    }
  });
});

import { kindsOf } from '@hookline/hook-api';
import { plugin } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import type { HooksOption } from '../../src/index.js';
import { entry, hook, installed, order, registry, thrownBy } from './installed.js';

const accuracy = { monitor: 'val/accuracy', mode: 'max' };

describe('an installed hook that is named several times in the list', () => {
  test('runs several times, each time with its own options and in its place in the order', async () => {
    const made = registry({
      hooks: [
        ['early-stopping', { patience: 3 }],
        ['early-stopping', accuracy],
        hook('mine'),
        ['early-stopping', { monitor: 'train/loss' }],
      ],
    });
    const loaded = await made.load();
    expect(loaded.map((each) => [each.hook.name, each.slot])).toEqual([
      ['mine', 'mine'],
      ['b', 'b'],
      ['a', 'a'],
      ['early-stopping', 'early-stopping'],
      ['early-stopping-2', 'early-stopping'],
      ['early-stopping-3', 'early-stopping'],
      ['console-log', 'console-log'],
      ['json-log', 'json-log'],
    ]);
    expect(loaded.slice(3, 6).map((each) => each.hook)).toMatchObject([
      { options: { patience: 3 } },
      { options: accuracy },
      { options: { monitor: 'train/loss' } },
    ]);
  });

  test('is listed before anything is loaded, with the hook that each is an instance of', () => {
    const made = registry({ hooks: ['early-stopping', ['early-stopping', accuracy]] });
    expect(entry(made, 'early-stopping')?.instanceOf).toBeUndefined();
    expect(entry(made, 'early-stopping-2')).toMatchObject({
      instanceOf: 'early-stopping',
      source: 'code',
      package: '@hookline/hook-early-stopping',
      version: '1.2.3',
      status: 'found',
      options: accuracy,
    });
  });

  test('may come from a third party, and then runs where the list says', async () => {
    const made = registry({ hooks: [['a', { x: 1 }], hook('mine'), ['a', { x: 2 }]] });
    expect((await order(made)).slice(0, 4)).toEqual(['a', 'mine', 'a-2', 'b']);
  });

  test('may be one that is on only when named, and works while discovery is off', async () => {
    const hooks: HooksOption = [
      ['wandb', { project: 'p' }],
      ['wandb', { project: 'q' }],
    ];
    expect(await order(registry({ hooks }))).toEqual(expect.arrayContaining(['wandb', 'wandb-2']));
    expect(await order(registry({ hooks, discover: false }))).toEqual(['wandb', 'wandb-2']);
  });

  test('skips numbers whose names are taken', () => {
    const made = registry({ hooks: [hook('a-2'), 'a', 'a', 'a'] });
    const instances = made.entries().filter(({ instanceOf }) => instanceOf === 'a');
    expect(instances.map(({ name }) => name)).toEqual(['a-3', 'a-4']);
  });

  test('an instance that is switched off where it is named keeps its name and is not made', async () => {
    const made = registry({
      hooks: [
        ['a', { x: 1 }],
        ['a', false],
        ['a', { x: 3 }],
      ],
    });
    expect(entry(made, 'a-2')).toMatchObject({ enabled: false, reason: 'Switched off.' });
    expect((await order(made)).slice(0, 3)).toEqual(['a', 'a-3', 'b']);
  });

  test('needs its hook named, not its package, which may stand for several', () => {
    const error = thrownBy(() => registry({ hooks: ['console-log', '@hookline/hook-logging'] }));
    expect(error).toMatchObject({
      code: 'DUPLICATE_HOOK',
      message: expect.stringContaining('"console-log"'),
    });
    const made = registry({ hooks: ['a', ['trainer-hook-a', { name: 'second-a' }]] });
    expect(entry(made, 'second-a')).toMatchObject({ instanceOf: 'a' });
  });
});

describe('a name for an instance', () => {
  test('is the hook’s name from the start, and is not an option of the hook', async () => {
    const made = registry({
      hooks: [
        ['early-stopping', { name: 'stop-on-loss' }],
        ['early-stopping', { name: 'stop-on-accuracy', ...accuracy }],
      ],
    });
    expect(entry(made, 'early-stopping')).toBeUndefined();
    expect(entry(made, 'stop-on-accuracy')).toMatchObject({
      instanceOf: 'early-stopping',
      options: accuracy,
    });
    const loaded = await made.load();
    expect(loaded.slice(2, 4).map((each) => each.hook)).toMatchObject([
      { name: 'stop-on-loss', options: {} },
      { name: 'stop-on-accuracy', options: accuracy },
    ]);
    expect(loaded[3]?.slot).toBe('early-stopping');
  });

  test('never reaches the hook’s schema, which would refuse it', async () => {
    const strict = plugin('trainer-hook-strict', 'strict', {
      code: `const make = (options) => ({ name: 'strict', options });
        const validate = (value) => 'name' in value ? { issues: [{ message: 'unknown option "name"' }] } : { value };
        make.options = { '~standard': { version: 1, vendor: 't', validate } };
        export default make;`,
    });
    const packages = { 'trainer-hook-strict': strict };
    expect(await order(registry({ hooks: [['strict', { name: 'lenient', x: 1 }]] }, packages))).toEqual([
      'lenient',
    ]);
  });

  test('can be given in a map or with use(), and taken back', async () => {
    const made = registry({ hooks: { a: { name: 'renamed', x: 1 } } });
    expect(made.entries().map(({ name }) => name)).not.toContain('a');
    made.use('renamed', { name: 'a', x: 2 });
    expect(entry(made, 'a')).toMatchObject({ instanceOf: undefined, options: { x: 2 } });
  });

  test('that is undefined is ignored', async () => {
    const made = registry({ hooks: [['a', { name: undefined, x: 1 }]] });
    expect(entry(made, 'a')).toMatchObject({ instanceOf: undefined, options: { x: 1 } });
  });

  test('belongs to the options of a class, a factory or a file, which name their hooks themselves', async () => {
    const made = registry({ hooks: [[({ name }: { name: string }) => hook(name), { name: 'chosen' }]] });
    expect((await order(made))[0]).toBe('chosen');
  });

  test.each([[3], [''], ['run 1'], ['Stopper'], ['a--b'], [null]])('cannot be %j', (name) => {
    const error = thrownBy(() => registry({ hooks: [['a', { name }]] }));
    expect(error).toMatchObject({
      code: 'HOOK_NAME',
      message: `Hook "a" is given the name ${JSON.stringify(name)}; expected lowercase words joined by hyphens, such as "a-2".`,
    });
  });

  test('cannot be that of another built-in, installed or not', () => {
    for (const name of ['json-log', 'checkpoint']) {
      expect(thrownBy(() => registry({ hooks: [['early-stopping', { name }]] }))).toMatchObject({
        code: 'HOOK_NAME',
        message: expect.stringContaining(`cannot be named "${name}": that name belongs to @hookline/hook-`),
      });
    }
  });

  test('cannot be one that is taken: the error names both places, and the hook stays as it was', () => {
    const made = registry({ hooks: [hook('mine'), ['a', { name: 'first' }]] });
    const taken: [string, string][] = [
      ['mine', 'one from your code, one from the instance of "a" with that name'],
      ['b', 'one from trainer-hook-b@1.2.3, one from the instance of "a"'],
      ['first', 'one from trainer-hook-a@1.2.3, one from the instance of "a"'],
    ];
    for (const [name, places] of taken) {
      expect(thrownBy(() => made.add(['a', { name, x: 1 }]))).toMatchObject({
        code: 'DUPLICATE_HOOK',
        message: expect.stringContaining(places),
      });
    }
    expect(thrownBy(() => made.use('first', { name: 'mine', x: 1 }))).toMatchObject({
      code: 'DUPLICATE_HOOK',
    });
    expect(entry(made, 'first')).toMatchObject({ options: {} });
  });

  test('fails when a factory of the user makes a hook of the same name', async () => {
    const made = registry({ hooks: [['a', { name: 'second' }], () => hook('second')] });
    await expect(made.load()).rejects.toMatchObject({
      code: 'DUPLICATE_HOOK',
      message: expect.stringMatching(/trainer-hook-a@1\.2\.3.*your code/),
    });
  });
});

describe('an instance', () => {
  test('is tuned, switched and removed by its name, and the others stay as they are', async () => {
    const made = registry({ hooks: ['a', ['a', { x: 2 }], ['a', { name: 'third' }]] });
    made.use('a-2', { x: 5 });
    made.disable('third');
    made.remove('a');
    expect(made.entries().filter(({ package: from }) => from === 'trainer-hook-a')).toMatchObject([
      { name: 'a-2', enabled: true, options: { x: 5 } },
      { name: 'third', enabled: false },
    ]);
    made.enable('third');
    expect((await order(made)).slice(0, 2)).toEqual(['a-2', 'third']);
  });

  test('is removed by what add() returned, before and after it was loaded', async () => {
    const made = registry({ hooks: ['a'] });
    const removers = [made.add(['a', { x: 2 }]), made.add(['a', { x: 3 }])];
    removers[0]!();
    await made.load();
    expect(entry(made, 'a-3')?.status).toBe('loaded');
    removers[1]!();
    expect((await order(made)).slice(0, 2)).toEqual(['a', 'b']);
  });

  test('answers to the name of its hook when nothing has that name, and to its package', () => {
    const made = registry({
      hooks: [
        ['a', { name: 'one' }],
        ['a', { name: 'two' }],
      ],
    });
    const states = () => ['one', 'two'].map((name) => entry(made, name)?.enabled);
    made.disable('a');
    expect(states()).toEqual([false, false]);
    made.enable('a');
    expect(states()).toEqual([true, true]);
    made.disable('trainer-hook-a');
    expect(states()).toEqual([false, false]);
    expect(thrownBy(() => made.use('a', { x: 1 }))).toMatchObject({
      code: 'AMBIGUOUS_HOOK',
      message: '"a" stands for several hooks: one, two. Name the one you mean.',
    });
    made.remove('a');
    expect(states()).toEqual([undefined, undefined]);
  });

  test('can be added when the hook is loaded and can no longer take options', async () => {
    const made = registry();
    await made.load();
    expect(thrownBy(() => made.use('a', { x: 2 }))).toMatchObject({
      code: 'HOOK_LOADED',
      message: expect.stringContaining('add another instance of it with addHook(["a", {...}])'),
    });
    made.add(['a', { x: 2 }]);
    expect((await order(made)).slice(0, 3)).toEqual(['a-2', 'b', 'a']);
  });

  test('cannot be named a second time by its own name', () => {
    const hooks: HooksOption = [['a', { name: 'mine' }], 'mine'];
    expect(thrownBy(() => registry({ hooks }))).toMatchObject({ code: 'DUPLICATE_HOOK' });
  });
});

describe('the hook made for an instance', () => {
  const withCode = (code: string) => ({ 'trainer-hook-x': plugin('trainer-hook-x', 'x', { code }) });
  const twice: HooksOption = [
    ['x', {}],
    ['x', { name: 'second' }],
  ];
  const failure = async (code: string) =>
    (
      await registry({ hooks: twice }, withCode(code))
        .load()
        .catch((error) => error)
    ).message;

  test('may be of a class with private fields and its name in a getter', async () => {
    const code = `export default class { #count = 0; get name() { return 'x'; } onEpochEnd() { return ++this.#count; } }`;
    const [first, second] = await registry({ hooks: twice }, withCode(code)).load();
    expect([first?.hook.name, second?.hook.name]).toEqual(['x', 'second']);
    const count = (loaded: typeof first) => loaded?.hook.onEpochEnd?.(undefined as never, undefined as never);
    expect([count(second), count(second), count(first)]).toEqual([1, 2, 1]);
    expect(kindsOf(second!.hook)).toEqual(['lifecycle']);
  });

  test('may use its name through this', async () => {
    const code = `export default () => ({ name: 'x', onEpochEnd() { return this.name; } });`;
    const [, second] = await registry({ hooks: twice }, withCode(code)).load();
    expect(second?.hook.onEpochEnd?.(undefined as never, undefined as never)).toBe('second');
  });

  test('cannot be frozen', async () => {
    expect(await failure(`export default () => Object.freeze({ name: 'x' });`)).toContain(
      'trainer-hook-x@1.2.3, hook "x" cannot run as "second": its name cannot be changed, because the object is frozen. ' +
        'Run it once, under its own name.',
    );
  });

  test('cannot be the object that another instance has', async () => {
    expect(await failure(`const one = { name: 'x' }; export default () => one;`)).toContain(
      'its factory returned the object that runs as "x". It must make a new one each time.',
    );
  });

  test('cannot be several', async () => {
    expect(await failure(`export default () => [{ name: 'x' }, { name: 'helper' }];`)).toContain(
      'it makes several hooks, "x", "helper". Run it once, under its own name.',
    );
  });
});

test('a map has no place for several instances, and points to the list', () => {
  const error = thrownBy(() =>
    registry({ hooks: { 'early-stopping': [{ patience: 3 }, accuracy] } as never }),
  );
  expect(error).toMatchObject({
    code: 'HOOKS_OPTION',
    message: expect.stringContaining(
      'name it several times in the list of hooks: [["early-stopping", {...}], ',
    ),
  });
});

test('a third-party package still cannot claim the name of a built-in', async () => {
  const greedy = plugin('trainer-hook-greedy', 'early-stopping');
  const made = registry({}, { ...installed, 'trainer-hook-greedy': greedy });
  expect(entry(made, 'trainer-hook-greedy')).toMatchObject({ status: 'rejected' });
});

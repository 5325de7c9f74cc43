import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plugin, tempFolder, write } from '@hookline/test-support';
import { afterEach, expect, test, vi } from 'vitest';
import type { HookRegistry } from '../../src/registry/hook-registry.js';
import { entry, hook, installed, noise, order, registry, thrownBy, Watcher } from './installed.js';

afterEach(() => vi.unstubAllEnvs());

test('installed hooks are on with their defaults: third parties as in package.json, built-ins in their slots', async () => {
  const made = registry();
  expect(await order(made)).toEqual(['b', 'a', 'early-stopping', 'console-log', 'json-log']);
  expect(entry(made, 'b')).toEqual({
    name: 'b',
    source: 'plugin',
    package: 'trainer-hook-b',
    version: '1.2.3',
    file: join(made.root, 'node_modules/trainer-hook-b/index.js'),
    enabled: true,
    status: 'loaded',
    reason: '',
    kinds: ['lifecycle'],
    options: undefined,
  });
});

test('reading the registry runs no plugin code, and disabled hooks are never imported', async () => {
  const log = join(tempFolder(), 'log');
  const noisy = (name: string) =>
    plugin(`trainer-hook-${name}`, name, {
      code: `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(log)}, '${name} ');
        export default () => ({ name: '${name}' });`,
    });
  const made = registry({}, { 'trainer-hook-a': noisy('a'), 'trainer-hook-b': noisy('b') });
  expect(made.entries().map(({ name, status, kinds }) => [name, status, kinds])).toEqual([
    ['a', 'found', []],
    ['b', 'found', []],
  ]);
  made.disable('a');
  expect(existsSync(log)).toBe(false);
  expect(await order(made)).toEqual(['b']);
  expect(readFileSync(log, 'utf8')).toBe('b ');
  expect(entry(made, 'a')).toMatchObject({ status: 'disabled', enabled: false, reason: 'Switched off.' });
  made.enable('a');
  expect(await order(made)).toEqual(['a', 'b']);
  expect(readFileSync(log, 'utf8')).toBe('b a ');
});

test('a list takes hooks, classes, factories, files, names and packages, in its order', async () => {
  const made = registry({
    hooks: [
      'trainer-hook-a',
      hook('mine'),
      Watcher,
      [noise, { scale: 0.5 }],
      './hooks/mine.js#FromFile',
      ['./hooks/default.js', { x: 1 }],
      ['early-stopping', { patience: 3 }],
      false,
      undefined,
    ],
  });
  write(made.root, {
    'hooks/mine.js': `export class FromFile { name = 'from-file'; }`,
    'hooks/default.js': `export default (options) => ({ name: 'default-of-file', options });`,
  });
  const loaded = await made.load();
  expect(loaded.map((each) => [each.hook.name, each.source])).toEqual([
    ['a', 'code'],
    ['mine', 'code'],
    ['watcher', 'code'],
    ['noise', 'code'],
    ['from-file', 'code'],
    ['default-of-file', 'code'],
    ['b', 'plugin'],
    ['early-stopping', 'code'],
    ['console-log', 'plugin'],
    ['json-log', 'plugin'],
  ]);
  expect(loaded[3]?.hook).toMatchObject({ scale: 0.5 });
  expect(loaded[5]?.hook).toMatchObject({ options: { x: 1 } });
  expect(loaded[7]?.hook).toMatchObject({ options: { patience: 3 } });
  expect(entry(made, 'watcher')?.kinds).toEqual(['forward']);
  expect(entry(made, 'noise')).toMatchObject({ kinds: ['update'], options: { scale: 0.5 } });
  expect(entry(made, 'from-file')?.file).toBe(join(made.root, 'hooks/mine.js'));
});

test('a map tunes and never reorders', async () => {
  const made = registry({
    hooks: {
      a: { x: 1 },
      b: true,
      'json-log': false,
      wandb: { project: 'p' },
      mine: hook('mine'),
      noise,
      watcher: Watcher,
      'second-watcher': Object.assign(new Watcher(), { name: 'second-watcher' }),
      './hooks/mine.js': { y: 2 },
    },
  });
  write(made.root, { 'hooks/mine.js': `export default (options) => ({ name: 'from-file', options });` });
  expect(await order(made)).toEqual([
    'mine',
    'noise',
    'watcher',
    'second-watcher',
    'from-file',
    'b',
    'a',
    'early-stopping',
    'console-log',
    'wandb',
  ]);
  const loaded = await made.load();
  const optionsOf = (name: string) => loaded.find((each) => each.hook.name === name)?.hook;
  expect(optionsOf('a')).toMatchObject({ options: { x: 1 } });
  expect(optionsOf('wandb')).toMatchObject({ options: { project: 'p' } });
  expect(optionsOf('from-file')).toMatchObject({ options: { y: 2 } });
});

test('a hook with autoload: false is listed, and on when it is named', async () => {
  const made = registry();
  expect(entry(made, 'wandb')).toMatchObject({
    status: 'disabled',
    reason: 'On only when you name it: autoload is false.',
  });
  made.use('wandb', true);
  expect(await order(made)).toContain('wandb');
});

test("a package's name stands for its hooks that are on by themselves", () => {
  const on = (made: HookRegistry) => made.entries().flatMap(({ name, enabled }) => (enabled ? [name] : []));
  const made = registry({ hooks: { '@hookline/hook-logging': false } });
  expect(on(made)).toEqual(['b', 'a', 'early-stopping']);
  made.use('@hookline/hook-logging', true);
  expect(on(made)).toEqual(['b', 'a', 'early-stopping', 'console-log', 'json-log']);
  made.use('@hookline/hook-early-stopping', { patience: 2 });
  expect(entry(made, 'early-stopping')?.options).toEqual({ patience: 2 });
  expect(thrownBy(() => made.use('@hookline/hook-logging', { every: 1 }))).toMatchObject({
    code: 'AMBIGUOUS_HOOK',
    message: expect.stringContaining('console-log, json-log, wandb'),
  });
});

test('loading twice, also at once, makes nothing twice', async () => {
  let made = 0;
  const counted = () => ({ name: `counted-${++made}` });
  const registered = registry({ hooks: [counted] });
  const [first, second] = await Promise.all([registered.load(), registered.load()]);
  const third = await registered.load();
  expect(made).toBe(1);
  expect(second.map((each) => each.hook)).toEqual(first.map((each) => each.hook));
  for (const [i, each] of third.entries()) expect(each.hook).toBe(first[i]?.hook);
});

test('a hook object that is switched off is returned as disabled', async () => {
  const made = registry({ hooks: [[hook('mine'), false]], discover: false });
  expect(await made.load()).toEqual([
    { hook: expect.objectContaining({ name: 'mine' }), source: 'code', enabled: false, slot: 'mine' },
  ]);
  made.enable('mine');
  expect(await order(made)).toEqual(['mine']);
});

test('a factory of several hooks gives each its own entry', async () => {
  const made = registry({ hooks: [() => [hook('one'), hook('two')]], discover: false });
  expect(await order(made)).toEqual(['one', 'two']);
  made.disable('one');
  expect(await order(made)).toEqual(['two']);
});

test("a user's own hook replaces the built-in of that name, in its slot, and the built-in is not imported", async () => {
  const own = hook('early-stopping');
  const poisoned = plugin('@hookline/hook-early-stopping', 'early-stopping', {
    code: `throw new Error('imported');`,
  });
  for (const hooks of [[own], [() => own], { 'early-stopping': own }, { 'early-stopping': () => own }]) {
    const made = registry({ hooks }, { ...installed, '@hookline/hook-early-stopping': poisoned });
    expect(await order(made)).toEqual(['b', 'a', 'early-stopping', 'console-log', 'json-log']);
    const both = made.entries().filter(({ name }) => name === 'early-stopping');
    expect(both.map(({ source, status, reason }) => [source, status, reason])).toEqual([
      ['plugin', 'disabled', 'Replaced by your hook of the same name.'],
      ['code', 'loaded', ''],
    ]);
  }
});

test('a factory under a name replaces the installed hook before it is called', () => {
  const made = registry({ hooks: { a: () => hook('a') } });
  expect(
    made
      .entries()
      .filter(({ name }) => name === 'a')
      .map(({ source, enabled }) => [source, enabled]),
  ).toEqual([
    ['code', true],
    ['plugin', false],
  ]);
});

test('a hook added after loading takes the place of the installed one', async () => {
  const made = registry();
  await made.load();
  const own = hook('a');
  made.add(own);
  const named = (await made.load()).filter((loaded) => loaded.hook.name === 'a');
  expect(named).toEqual([{ hook: own, source: 'code', enabled: true, slot: 'a' }]);
  expect(named[0]?.hook).toBe(own);
});

test('until it is called, a factory goes by the name of its function, which comes before an installed hook of that name', async () => {
  function a(options?: object) {
    return { name: 'mine', options };
  }
  const made = registry({ hooks: [a] });
  made.use('a', { x: 1 });
  const [mine] = await made.load();
  expect(mine?.hook).toMatchObject({ name: 'mine', options: { x: 1 } });
  expect(entry(made, 'a')).toMatchObject({ source: 'plugin', options: undefined });
});

test('removing takes a hook out; an installed one that it replaced comes back', async () => {
  const made = registry({ hooks: [hook('a'), hook('mine')] });
  made.remove('mine');
  made.remove('@hookline/hook-logging');
  expect(made.entries().map(({ name, source, enabled }) => [name, source, enabled])).toEqual([
    ['a', 'code', true],
    ['b', 'plugin', true],
    ['a', 'plugin', false],
    ['early-stopping', 'plugin', true],
  ]);
  made.remove('a');
  expect(entry(made, 'a')).toMatchObject({ source: 'plugin', enabled: true });
  expect(() => made.remove('mine')).toThrow('No hook is named "mine"');
});

test.each([
  ['discover: false', { discover: false }, ''],
  ['HOOKLINE_DISCOVERY=off', { discover: true }, 'off'],
] as const)('with %s only what is named is on', async (_, options, env) => {
  vi.stubEnv('HOOKLINE_DISCOVERY', env);
  const silent = registry(options);
  expect(silent.entries()).toEqual([]);
  expect(silent.discovery).toBeUndefined();
  const made = registry({ ...options, hooks: ['early-stopping', hook('mine')] });
  expect(await order(made)).toEqual(['mine', 'early-stopping']);
});

test('packages are left out by discover.exclude, and naming their hooks says so', async () => {
  const made = registry({ discover: { exclude: ['@hookline/*'] } });
  expect(await order(made)).toEqual(['b', 'a']);
  expect(entry(made, '@hookline/hook-logging')).toMatchObject({
    status: 'disabled',
    reason: 'Left out by discover.exclude.',
  });
  expect(thrownBy(() => made.use('early-stopping', true))).toMatchObject({
    code: 'PLUGIN_REJECTED',
    message: expect.stringContaining('Left out by discover.exclude.'),
  });
});

test('warnings of plugins can be read', () => {
  const made = registry({}, { 'trainer-hook-x': plugin('trainer-hook-x', 'x', { peer: null }) });
  expect(made.discovery?.packages[0]?.warnings).toHaveLength(1);
});

test('a hook without a name goes by its place in the list until it is made', () => {
  const made = registry({ discover: false, hooks: [hook('mine'), false, () => hook('late')] });
  expect(made.entries().map(({ name }) => name)).toEqual(['mine', 'hooks[2]']);
});

test('the names of a list are settled once, not again for each hook in it', async () => {
  const many = Array.from({ length: 100 }, (_, index) => hook(`hook-${index}`));
  // At each of 5,000 hooks, this took seconds.
  const settling = vi.spyOn(Map.prototype, 'set');
  const made = registry({ discover: false, hooks: many });
  const { length } = settling.mock.calls;
  settling.mockRestore();
  expect(length).toBeLessThan(500);
  expect(await order(made)).toEqual(many.map(({ name }) => name));
});

import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { type Files, npmProject, plugin, tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { discoverHooks } from '../../src/discovery/discover-hooks.js';
import { loadHook } from '../../src/discovery/load-hook.js';

function load(files: Files, options?: object): Promise<Hook[]> {
  const root = npmProject({ 'trainer-hook-x': files });
  const [found] = discoverHooks({ root }).packages;
  return loadHook(found!, found!.hooks[0]!, options);
}

const withCode = (code: string, hooks: unknown = './index.js') =>
  plugin('trainer-hook-x', 'x', { code, trainerHooks: { schema: 1, hooks: { x: hooks } } });

test('the factory gets the options', async () => {
  const [hook] = await load(plugin('trainer-hook-x', 'x'), { patience: 3 });
  expect(hook).toMatchObject({ name: 'x', options: { patience: 3 } });
});

test('a named export is taken', async () => {
  const code = `export const makeX = () => ({ name: 'x' }); export default 1;`;
  expect(await load(withCode(code, { entry: './index.js', export: 'makeX' }))).toEqual([{ name: 'x' }]);
});

test('a class is constructed', async () => {
  const code = `export default class { name = 'x'; constructor(options) { this.options = options; } onInit() {} }`;
  expect((await load(withCode(code), { a: 1 }))[0]).toMatchObject({ name: 'x', options: { a: 1 } });
});

test('several hooks may come from one factory, if one has the name in the manifest', async () => {
  const hooks = await load(withCode(`export default () => [{ name: 'x-helper' }, { name: 'x' }];`));
  expect(hooks.map(({ name }) => name)).toEqual(['x-helper', 'x']);
});

test.each([
  ['throws on import', `throw new Error('no GPU');`, 'HOOK_IMPORT', 'importing it failed: no GPU'],
  [
    'lacks a peer dependency under Yarn',
    `throw new Error("trainer-hook-a tried to access @hookline/hook-api (a peer dependency) but it isn't provided");`,
    'HOOK_IMPORT',
    'Add it to your project: yarn add @hookline/hook-api',
  ],
  ['is not JavaScript', `export default (`, 'HOOK_IMPORT', 'importing it failed'],
  ['imports what is not there', `import 'not-there-at-all';`, 'HOOK_IMPORT', 'not-there-at-all'],
  [
    'has no default export',
    `export const makeX = 1;`,
    'HOOK_EXPORT',
    'no export "default". It exports: makeX',
  ],
  ['exports no function', `export default { name: 'x' };`, 'HOOK_EXPORT', 'expected a function'],
  [
    'has a factory that throws',
    `export default () => { throw new Error('boom'); };`,
    'HOOK_FACTORY',
    'making it failed: boom',
  ],
  [
    'has a factory that makes nothing',
    `export default () => {};`,
    'NOT_A_HOOK',
    'Expected a hook, an object with a name, got undefined',
  ],
  ['has a factory that makes no hook', `export default () => [{ name: 'x' }, 3];`, 'NOT_A_HOOK', 'got 3'],
  [
    'makes a hook with a mistyped method',
    `export default () => ({ name: 'x', onTrainBatchEn() {} });`,
    'UNKNOWN_EVENT',
    'Did you mean "onTrainBatchEnd"?',
  ],
  ['makes a hook of another name', `export default () => ({ name: 'y' });`, 'HOOK_NAME', 'it made "y"'],
  [
    'brings a built-in along',
    `export default () => [{ name: 'x' }, { name: 'checkpoint' }];`,
    'HOOK_NAME',
    'belongs to @hookline/hook-checkpoint',
  ],
])(
  'a plugin that %s is named, with its version, its file and what is wrong',
  async (_, code, expected, message) => {
    const error = await load(withCode(code)).catch((error) => error);
    expect(error).toMatchObject({ name: 'HooklineError', code: expected });
    expect(error.message).toMatch(/^trainer-hook-x@1\.2\.3, hook "x" \(.*trainer-hook-x.index\.js\): /);
    expect(error.message).toContain(message);
  },
);

test('a mistyped export is reported with the nearest one', async () => {
  const promise = load(withCode('export const makeX = 1;', { entry: './index.js', export: 'mkeX' }));
  await expect(promise).rejects.toThrow('no export "mkeX". Did you mean "makeX"?');
});

test('the original error stays reachable as the cause', async () => {
  const error = await load(withCode(`throw Object.assign(new Error('no GPU'), { code: 'E_GPU' });`)).catch(
    (e) => e,
  );
  expect(error.cause).toMatchObject({ message: 'no GPU', code: 'E_GPU' });
});

test('an entry that is not there is reported', async () => {
  await expect(load(withCode('', './dist/index.js'))).rejects.toMatchObject({
    code: 'HOOK_FILE',
    message: expect.stringContaining('there is no such file'),
  });
});

test('an entry that leaves its package by a symbolic link is refused, and its code does not run', async () => {
  const outside = join(tempFolder(), 'outside.mjs');
  writeFileSync(outside, `globalThis.hooklineOutsideRan = true; export default () => ({ name: 'x' });`);
  const root = npmProject({ 'trainer-hook-x': withCode('') });
  const entry = join(root, 'node_modules/trainer-hook-x/index.js');
  rmSync(entry);
  symlinkSync(outside, entry);
  const [found] = discoverHooks({ root }).packages;
  await expect(loadHook(found!, found!.hooks[0]!)).rejects.toMatchObject({
    code: 'HOOK_FILE',
    message: expect.stringContaining('leads out of its package'),
  });
  expect(globalThis).not.toHaveProperty('hooklineOutsideRan');
});

test('a symbolic link that stays inside its package is fine', async () => {
  const root = npmProject({
    'trainer-hook-x': { ...withCode('', './link.js'), 'real.js': `export default () => ({ name: 'x' });` },
  });
  symlinkSync('real.js', join(root, 'node_modules/trainer-hook-x/link.js'));
  const [found] = discoverHooks({ root }).packages;
  expect(await loadHook(found!, found!.hooks[0]!)).toEqual([{ name: 'x' }]);
});

const schema = (validate: string) =>
  `const make = (options) => ({ name: 'x', options });
   make.options = { '~standard': { version: 1, vendor: 'test', validate: ${validate} } };
   export default make;`;

test.each(['(value) =>', 'async (value) =>'])('options pass through the schema first: %s', async (head) => {
  const [hook] = await load(withCode(schema(`${head} ({ value: { ...value, patience: 5 } })`)), {
    mode: 'min',
  });
  expect(hook).toMatchObject({ options: { mode: 'min', patience: 5 } });
});

test('a schema sees empty options when none are given, so that it can fill in defaults', async () => {
  const [hook] = await load(
    withCode(schema('(value) => ({ value: { ...value, patience: value.patience ?? 5 } })')),
  );
  expect(hook).toMatchObject({ options: { patience: 5 } });
});

test('wrong options are reported with their paths, and the factory is not called', async () => {
  const issues = `[{ message: 'must be positive', path: ['a', { key: 'b' }] }, { message: 'unknown option "pacience"' }]`;
  await expect(load(withCode(schema(`() => ({ issues: ${issues} })`)), { a: 1 })).rejects.toMatchObject({
    code: 'HOOK_OPTIONS',
    message: expect.stringContaining(
      'its options are wrong: a.b: must be positive; unknown option "pacience"',
    ),
  });
});

test('a schema that fails is reported as such', async () => {
  await expect(load(withCode(schema(`() => { throw new Error('bad schema'); }`)))).rejects.toMatchObject({
    code: 'HOOK_OPTIONS',
    message: expect.stringContaining('checking its options failed: bad schema'),
  });
});

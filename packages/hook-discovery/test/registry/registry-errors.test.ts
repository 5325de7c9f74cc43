import { join } from 'node:path';
import { npmProject, plugin, tempFolder, write } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { HookRegistry } from '../../src/registry/hook-registry.js';
import { entry, hook, installed, order, registry, thrownBy } from './installed.js';

test('two hooks of one name fail at the start', async () => {
  const duplicate = {
    code: 'DUPLICATE_HOOK',
    message: expect.stringContaining('Two hooks are named "mine"'),
  };
  expect(thrownBy(() => registry({ hooks: [hook('mine'), hook('mine')] }))).toMatchObject(duplicate);
  const made = registry({ hooks: [hook('mine'), () => hook('mine')] });
  await expect(made.load()).rejects.toMatchObject(duplicate);
  await expect(made.load()).rejects.toMatchObject(duplicate);
  expect(thrownBy(() => registry({ hooks: ['a', ['trainer-hook-a', { x: 1 }]] }))).toMatchObject({
    code: 'DUPLICATE_HOOK',
  });
  expect(thrownBy(() => registry({ hooks: [hook('a'), 'trainer-hook-a'] }))).toMatchObject({
    code: 'DUPLICATE_HOOK',
  });
  expect(thrownBy(() => registry({ hooks: ['./mine.js', './mine.js'] }))).toMatchObject({
    code: 'DUPLICATE_HOOK',
  });
});

test('a hook that a plugin brings along must not take the name of another plugin', async () => {
  const greedy = plugin('trainer-hook-greedy', 'greedy', {
    code: `export default () => [{ name: 'greedy' }, { name: 'a' }];`,
  });
  const made = registry(
    {},
    { 'trainer-hook-a': installed['trainer-hook-a']!, 'trainer-hook-greedy': greedy },
  );
  await expect(made.load()).rejects.toMatchObject({
    code: 'DUPLICATE_HOOK',
    message: expect.stringMatching(/trainer-hook-a@1\.2\.3.*trainer-hook-greedy@1\.2\.3/),
  });
});

test('an unknown name is reported with the nearest one', () => {
  expect(thrownBy(() => registry({ hooks: { 'erly-stopping': {} } }))).toMatchObject({
    code: 'UNKNOWN_HOOK',
    message: expect.stringContaining('No hook is named "erly-stopping". Did you mean "early-stopping"?'),
  });
  expect(thrownBy(() => registry({ hooks: ['chekpoint'] }))).toMatchObject({
    message: expect.stringContaining('Did you mean "checkpoint" (npm install @hookline/hook-checkpoint)?'),
  });
  expect(thrownBy(() => registry().disable('nonsense'))).toMatchObject({ code: 'UNKNOWN_HOOK' });
});

test('an unknown name is reported with the packages that were rejected, which may hold it', () => {
  const broken = plugin('trainer-hook-x', 'x', { trainerHooks: { schema: 1, hooks: { x: '../x.js' } } });
  expect(thrownBy(() => registry({ hooks: ['x'] }, { 'trainer-hook-x': broken }))).toMatchObject({
    code: 'UNKNOWN_HOOK',
    message: expect.stringContaining('Rejected: trainer-hook-x; "npx hookline hooks" says why.'),
  });
});

test('a built-in that is not installed is reported with its install command', () => {
  for (const name of ['checkpoint', '@hookline/hook-checkpoint']) {
    expect(thrownBy(() => registry({ hooks: [name] }))).toMatchObject({
      code: 'HOOK_NOT_INSTALLED',
      message: expect.stringMatching(/is not installed in \/.*: npm install @hookline\/hook-checkpoint$/),
    });
  }
});

test('nobody is told to install what is installed', () => {
  const root = npmProject({});
  write(join(root, 'node_modules/@hookline/hook-progress'), plugin('@hookline/hook-progress', 'progress'));
  const undeclared = thrownBy(() => new HookRegistry({ root, hooks: ['progress'] }));
  expect(undeclared).toMatchObject({
    code: 'HOOK_NOT_INSTALLED',
    message: expect.stringMatching(/is installed in .*hook-progress, but the dependencies in .* do not name/),
  });
  const typo = thrownBy(() => new HookRegistry({ root, hooks: ['progres'] }));
  expect((typo as Error).message).toContain('Did you mean "progress"?');
  expect((typo as Error).message).not.toContain('npm install');
});

test('a hook in peerDependencies is listed, off, and on when it is named', async () => {
  const root = tempFolder({ 'package.json': { peerDependencies: { 'trainer-hook-a': '*' } } });
  write(join(root, 'node_modules/trainer-hook-a'), installed['trainer-hook-a']!);
  expect(entry(new HookRegistry({ root }), 'a')).toMatchObject({
    enabled: false,
    reason: 'On only when you name it: it is in peerDependencies.',
  });
  expect(await order(new HookRegistry({ root, hooks: ['a'] }))).toEqual(['a']);
});

test('a project folder that does not exist is an error, not a project without hooks', () => {
  expect(thrownBy(() => new HookRegistry({ root: '/nowhere/at/all' }))).toMatchObject({
    code: 'NO_PROJECT',
    message: expect.stringContaining('/nowhere/at/all'),
  });
});

test('a promise is refused with how to wait for it', () => {
  const promise = Promise.resolve(hook('late')) as never;
  for (const hooks of [[promise], promise, { late: promise }, [['a', promise]]]) {
    expect(thrownBy(() => registry({ hooks: hooks as never }))).toMatchObject({
      code: 'NOT_A_HOOK',
      message: expect.stringContaining('await'),
    });
  }
});

test('a package that is declared but not installed is reported with the command to install it', () => {
  const root = tempFolder({ 'package.json': { dependencies: { 'trainer-hook-gone': '*' } } });
  expect(thrownBy(() => new HookRegistry({ root, hooks: ['trainer-hook-gone'] }))).toMatchObject({
    code: 'HOOK_NOT_INSTALLED',
    message: 'trainer-hook-gone is in package.json but not installed. Install it: npm install',
  });
});

test('switching off a built-in that is not installed is not a mistake', () => {
  expect(entry(registry({ hooks: { checkpoint: false } }), 'checkpoint')).toBeUndefined();
});

test('a hook that is only in devDependencies is reported with what to do', () => {
  const root = tempFolder({ 'package.json': { devDependencies: { 'trainer-hook-a': '*' } } });
  write(join(root, 'node_modules/trainer-hook-a'), installed['trainer-hook-a']!);
  expect(thrownBy(() => new HookRegistry({ root, hooks: ['a'] }))).toMatchObject({
    code: 'HOOK_NOT_INSTALLED',
    message: expect.stringContaining('discover: { includeDev: true }'),
  });
  expect(new HookRegistry({ root, hooks: ['a'], discover: { includeDev: true } }).entries()).toHaveLength(1);
});

test('everything that goes wrong is reported in one error, which says how to train without it', async () => {
  const made = registry(
    { hooks: [() => Promise.reject(new Error('mine broke')) as never, './hooks/missing.js'] },
    {
      'trainer-hook-throws': plugin('trainer-hook-throws', 'throws', { code: `throw new Error('no GPU');` }),
      'trainer-hook-old': plugin('trainer-hook-old', 'old', { peer: '^0.1.0' }),
      'trainer-hook-fine': plugin('trainer-hook-fine', 'fine'),
    },
  );
  expect(entry(made, 'trainer-hook-old')).toMatchObject({
    status: 'rejected',
    enabled: false,
    reason: expect.stringContaining('needs @hookline/hook-api ^0.1.0'),
  });
  const error = await made.load().catch((error) => error);
  expect(error).toMatchObject({ name: 'HooklineError', code: 'PLUGINS_FAILED' });
  expect(error.cause.errors.map(({ code }: { code: string }) => code)).toEqual([
    'HOOK_FACTORY',
    'HOOK_FILE',
    'HOOK_IMPORT',
    'PLUGIN_REJECTED',
  ]);
  expect(error.message).toContain('4 hooks could not be loaded:');
  expect(error.message).toContain('trainer-hook-throws@1.2.3, hook "throws"');
  expect(error.message).toContain('hooks: { "throws": false, "trainer-hook-old": false }');
  expect(entry(made, 'fine')?.status).toBe('loaded');

  made.disable('throws');
  made.disable('trainer-hook-old');
  made.remove('./hooks/missing.js');
  made.remove('hooks[0]');
  expect(await order(made)).toEqual(['fine']);
});

test('naming a rejected plugin fails at once, with the reason', () => {
  const packages = { 'trainer-hook-old': plugin('trainer-hook-old', 'old', { peer: '^0.1.0' }) };
  for (const name of ['old', 'trainer-hook-old']) {
    expect(thrownBy(() => registry({ hooks: [name] }, packages))).toMatchObject({
      code: 'PLUGIN_REJECTED',
      message: expect.stringContaining('needs @hookline/hook-api ^0.1.0'),
    });
  }
});

test('wrong options are reported when the hook is loaded', async () => {
  const strict = plugin('trainer-hook-strict', 'strict', {
    code: `const make = () => ({ name: 'strict' });
      make.options = { '~standard': { version: 1, vendor: 't', validate: () => ({ issues: [{ message: 'unknown option "pacience"' }] }) } };
      export default make;`,
  });
  const made = registry({ hooks: { strict: { pacience: 3 } } }, { 'trainer-hook-strict': strict });
  await expect(made.load()).rejects.toThrow('unknown option "pacience"');
});

test('options for a hook that is already made are refused', async () => {
  const wrong = { code: 'HOOK_OPTIONS', message: expect.stringContaining('already made') };
  expect(thrownBy(() => registry({ hooks: [[hook('mine'), { x: 1 }]] }))).toMatchObject(wrong);
  const made = registry({ hooks: [hook('mine')] });
  expect(thrownBy(() => made.use('mine', { x: 1 }))).toMatchObject(wrong);
  await made.load();
  expect(thrownBy(() => made.use('a', { x: 1 }))).toMatchObject({ code: 'HOOK_LOADED' });
  const fromFile = registry({ hooks: [['./object.js', { x: 1 }]], discover: false });
  write(fromFile.root, { 'object.js': `export default { name: 'object' };` });
  const error = await fromFile.load().catch((error) => error);
  expect(error.cause.errors[0]).toMatchObject(wrong);
});

test('the key of a map must be the name of the hook it holds', async () => {
  const wrong = {
    code: 'HOOK_NAME',
    message: expect.stringContaining('hooks["mine"] holds a hook named "other"'),
  };
  expect(thrownBy(() => registry({ hooks: { mine: hook('other') } }))).toMatchObject(wrong);
  const error = await registry({ hooks: { mine: () => hook('other') } })
    .load()
    .catch((error) => error);
  expect(error.cause.errors[0]).toMatchObject(wrong);
});

test.each([
  ['a number', 'NOT_A_HOOK', [3]],
  ['an object without a name', 'NOT_A_HOOK', [{ onEpochEnd() {} }]],
  ['a number where a setting belongs', 'HOOKS_OPTION', { a: 3 }],
  ['a list of options', 'HOOKS_OPTION', [['a', [1]]]],
  ['a hook that is not in a list', 'HOOKS_OPTION', hook('mine')],
  ['text', 'HOOKS_OPTION', 'early-stopping'],
])('hooks that hold %s are refused', (_, code, hooks) => {
  expect(thrownBy(() => registry({ hooks: hooks as never }))).toMatchObject({ code });
});

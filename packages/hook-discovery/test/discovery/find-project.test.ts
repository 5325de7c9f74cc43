import { join } from 'node:path';
import { link, plugin, tempFolder, write } from '@hookline/test-support';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { discoverHooks } from '../../src/discovery/discover-hooks.js';
import { HookRegistry } from '../../src/registry/hook-registry.js';
import { thrownBy } from '../registry/installed.js';

const { argv } = process;

beforeEach(() => {
  process.argv = [...argv];
});

afterEach(() => {
  process.argv = argv;
  vi.restoreAllMocks();
});

/** As if Node had been started in a folder, with a script. */
function start(folder: string, script: string): void {
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  process.argv[1] = script;
}

/** A workspace whose app has a hook. */
function workspace(ofRoot: object = {}): string {
  const root = tempFolder({
    'package.json': { name: 'workspace', private: true, ...ofRoot },
    'packages/app/package.json': {
      name: 'app',
      dependencies: { '@hookline/trainer': '*', 'trainer-hook-a': '*' },
    },
    'packages/app/src/train.js': '',
  });
  write(join(root, 'packages/app/node_modules/trainer-hook-a'), plugin('trainer-hook-a', 'a'));
  write(join(root, 'packages/app/node_modules/@hookline/trainer'), { 'package.json': {} });
  return root;
}

const hookNames = () => discoverHooks().packages.flatMap(({ hooks }) => hooks.map(({ name }) => name));

test('a program has the hooks of its own project, wherever it is started from', () => {
  const root = workspace();
  const app = join(root, 'packages/app');
  for (const folder of [root, app, join(app, 'src'), '/']) {
    start(folder, join(app, 'src/train.js'));
    expect(hookNames(), folder).toEqual(['a']);
    expect(new HookRegistry().root).toBe(app);
  }
});

test('also when the script is reached through a link, or named without its extension', () => {
  const root = workspace();
  link(root, 'bin', 'packages/app/src');
  start(root, join(root, 'bin/train.js'));
  expect(hookNames()).toEqual(['a']);
  start(root, join(root, 'packages/app/src/train'));
  expect(hookNames()).toEqual(['a']);
});

test('a script whose project does not use Hookline, or that is an installed tool, leaves it to the working directory', () => {
  const root = workspace();
  const app = join(root, 'packages/app');
  const tool = tempFolder({ 'package.json': { name: 'tool' }, 'run.js': '' });
  for (const script of [
    join(tool, 'run.js'),
    join(app, 'node_modules/@hookline/trainer/package.json'),
    'not/absolute',
  ]) {
    start(app, script);
    expect(hookNames(), script).toEqual(['a']);
  }
});

test('where it looked is said, in what it finds and in errors', () => {
  const root = workspace();
  const script = join(root, 'packages/app/src/train.js');
  start(root, script);
  expect(discoverHooks().looked).toEqual([script, root]);
  expect(thrownBy(() => new HookRegistry({ hooks: ['b'] }))).toMatchObject({
    message: expect.stringContaining(`(looked from ${script} and ${root})`),
  });
});

test('a hook of the other project is named with how to use it', () => {
  const root = workspace({ dependencies: { 'trainer-hook-b': '*' } });
  write(join(root, 'node_modules/trainer-hook-b'), plugin('trainer-hook-b', 'b'));
  start(root, join(root, 'packages/app/src/train.js'));
  expect(thrownBy(() => new HookRegistry({ hooks: ['b'] }))).toMatchObject({
    code: 'HOOK_NOT_INSTALLED',
    message: expect.stringContaining(`root: ${JSON.stringify(root)}`),
  });
});

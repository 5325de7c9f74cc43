import { join } from 'node:path';
import { link, npmProject, plugin, tempFolder, write } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { discoverHooks } from '../../src/discovery/discover-hooks.js';
import { loadHook } from '../../src/discovery/load-hook.js';

/** Discovers and loads everything, the way a training run does. */
async function loadAll(root: string): Promise<string[]> {
  const { packages, notInstalled } = discoverHooks({ root });
  expect(notInstalled).toEqual([]);
  expect(packages.flatMap(({ reasons }) => reasons)).toEqual([]);
  const hooks = packages.flatMap((found) => found.hooks.map((hook) => loadHook(found, hook)));
  return (await Promise.all(hooks)).flat().map(({ name }) => name);
}

test('npm, flat', async () => {
  const root = npmProject({
    'trainer-hook-a': plugin('trainer-hook-a', 'a'),
    '@acme/trainer-hook-b': plugin('@acme/trainer-hook-b', 'b'),
  });
  expect(await loadAll(root)).toEqual(['a', 'b']);
});

test('npm workspace: the plugin is in the node_modules of the workspace', async () => {
  const root = tempFolder({
    'package.json': { workspaces: ['packages/*'] },
    'packages/app/package.json': { dependencies: { 'trainer-hook-a': '*' } },
  });
  write(join(root, 'node_modules/trainer-hook-a'), plugin('trainer-hook-a', 'a'));
  expect(await loadAll(join(root, 'packages/app'))).toEqual(['a']);
});

test('pnpm, strict: a link into the store, its own dependencies beside it', async () => {
  const root = tempFolder({ 'package.json': { dependencies: { '@acme/trainer-hook-a': '1.2.3' } } });
  const store = 'node_modules/.pnpm/@acme+trainer-hook-a@1.2.3/node_modules';
  write(
    join(root, store, '@acme/trainer-hook-a'),
    plugin('@acme/trainer-hook-a', 'a', {
      code: `import name from 'only-in-store'; export default () => ({ name });`,
    }),
  );
  write(join(root, store, 'only-in-store'), {
    'package.json': { type: 'module', exports: './index.js' },
    'index.js': `export default 'a';`,
  });
  link(root, 'node_modules/@acme/trainer-hook-a', join(store, '@acme/trainer-hook-a'));
  expect(await loadAll(root)).toEqual(['a']);
  expect(discoverHooks({ root }).packages[0]?.dir).toBe(join(root, store, '@acme/trainer-hook-a'));
});

test('pnpm workspace with hoist: false: neither the workspace nor the trainer can see the plugin', async () => {
  const root = tempFolder({
    'package.json': { private: true },
    'pnpm-workspace.yaml': 'packages:\n  - packages/*\nhoist: false\n',
    'packages/app/package.json': {
      dependencies: { 'trainer-hook-a': '1.2.3', 'trainer-hook-local': 'workspace:*' },
    },
  });
  const stored = 'node_modules/.pnpm/trainer-hook-a@1.2.3/node_modules/trainer-hook-a';
  write(join(root, stored), plugin('trainer-hook-a', 'a'));
  write(
    join(root, 'packages/local'),
    plugin('trainer-hook-local', 'local', { peer: 'workspace:^', json: { version: undefined } }),
  );
  link(root, 'packages/app/node_modules/trainer-hook-a', stored);
  link(root, 'packages/app/node_modules/trainer-hook-local', 'packages/local');
  expect(await loadAll(join(root, 'packages/app'))).toEqual(['a', 'local']);
});

test('an exports map that hides package.json and the entry', async () => {
  const root = npmProject({
    'trainer-hook-a': plugin('trainer-hook-a', 'a', { json: { exports: { './other': './other.js' } } }),
  });
  expect(await loadAll(root)).toEqual(['a']);
});

test('exports for import only', async () => {
  const root = npmProject({
    'trainer-hook-a': plugin('trainer-hook-a', 'a', { json: { exports: { import: './index.js' } } }),
  });
  expect(await loadAll(root)).toEqual(['a']);
});

test('a path alone as manifest, in a scoped package', async () => {
  const root = npmProject({
    '@acme/trainer-hook-weight-decay': plugin('@acme/trainer-hook-weight-decay', 'weight-decay', {
      trainerHooks: './index.js',
    }),
  });
  expect(await loadAll(root)).toEqual(['weight-decay']);
});

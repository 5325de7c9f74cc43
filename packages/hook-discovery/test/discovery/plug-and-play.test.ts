import module from 'node:module';
import { join } from 'node:path';
import { plugin, tempFolder, write } from '@hookline/test-support';
import { afterEach, expect, test } from 'vitest';
import { discoverHooks } from '../../src/discovery/discover-hooks.js';
import { loadHook } from '../../src/discovery/load-hook.js';

const nodeModule = module as { findPnpApi?: unknown };

afterEach(() => {
  delete nodeModule.findPnpApi;
});

/** Yarn's API over a list of folders: it answers for declared packages, and throws for all others. */
function installYarn(root: string, folders: Readonly<Record<string, string>>): void {
  nodeModule.findPnpApi = (folder: string) => {
    if (!folder.startsWith(`${root}/`)) return null;
    return {
      resolveToUnqualified: (name: string, issuer: string, { considerBuiltins = true } = {}) => {
        if (considerBuiltins && name === 'events') return null;
        if (issuer !== `${root}/` || !folders[name])
          throw new Error(`Your application tried to access ${name}`);
        return `${folders[name]}/`;
      },
    };
  };
}

test('with Plug and Play, packages are where Yarn says', async () => {
  const root = tempFolder({
    'package.json': { dependencies: { 'trainer-hook-a': '*', events: '*', gone: '*' } },
  });
  const cache = tempFolder();
  write(join(cache, 'a'), plugin('trainer-hook-a', 'a'));
  write(join(cache, 'events'), plugin('events', 'events'));
  installYarn(root, { 'trainer-hook-a': join(cache, 'a'), events: join(cache, 'events') });
  const { packages, notInstalled } = discoverHooks({ root });
  expect(packages.map(({ name, dir, status }) => [name, dir, status])).toEqual([
    ['trainer-hook-a', join(cache, 'a'), 'found'],
    ['events', join(cache, 'events'), 'found'],
  ]);
  expect(notInstalled).toEqual(['gone']);
  expect((await loadHook(packages[0]!, packages[0]!.hooks[0]!))[0]?.name).toBe('a');
});

test('a project that Yarn does not manage is read as ever', () => {
  installYarn(tempFolder(), {});
  const root = tempFolder({ 'package.json': { dependencies: { 'trainer-hook-a': '*' } } });
  write(join(root, 'node_modules/trainer-hook-a'), plugin('trainer-hook-a', 'a'));
  expect(discoverHooks({ root }).packages).toHaveLength(1);
});

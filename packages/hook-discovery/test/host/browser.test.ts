import { afterEach, expect, it } from 'vitest';
import { provideHooks } from '../../src/bundled-hooks.js';
import * as browser from '../../src/host/browser.js';
import { discoverHooks, importMaker, isDiscoveryOff, unknownHook } from '../../src/host/browser.js';
import * as node from '../../src/host/node.js';

afterEach(() => provideHooks([]));

const lucky = () => ({ name: 'lucky' });
const manifest = { schema: 1, hooks: { lucky: { entry: './dist/index.js', export: 'lucky' } } };

it('a browser has everything that the registry asks of its host', () => {
  expect(Object.keys(browser).sort()).toEqual(Object.keys(node).sort());
});

it('what a bundler provides is discovered in its order, and loaded by its entries', async () => {
  expect(isDiscoveryOff()).toBe(true);
  const entries = { './dist/index.js': async () => ({ lucky }) };
  provideHooks([
    { name: 'trainer-hook-lucky', version: '1.2.0', trainerHooks: manifest, entries },
    { name: 'trainer-hook-broken', version: '1.0.0', trainerHooks: { schema: 1, hooks: 3 }, entries: {} },
  ]);
  expect(isDiscoveryOff()).toBe(false);
  const [found, broken] = discoverHooks().packages;
  expect(found).toMatchObject({
    name: 'trainer-hook-lucky',
    version: '1.2.0',
    status: 'found',
    from: 'dependencies',
  });
  expect(broken).toMatchObject({ status: 'rejected' });
  expect(await importMaker(found!, found!.hooks[0]!)).toBe(lucky);
  expect(discoverHooks({ exclude: ['*-lucky'] }).packages[0]).toMatchObject({ status: 'disabled' });
});

it('a hook that is not in the bundle is reported with how to get it into the page', () => {
  const project = { root: '/', text: undefined, looked: [] };
  expect(unknownHook('checkpoint', ['lucky'], project)).toMatchObject({
    code: 'HOOK_NOT_INSTALLED',
    message: expect.stringContaining("from '@hookline/hook-checkpoint'"),
  });
  expect(unknownHook('luky', ['lucky'], project).message).toContain('Did you mean "lucky"?');
});

it('an entry that the bundle lacks, or that lacks the export, is refused with where it comes from', async () => {
  const entries = { './dist/index.js': async () => ({ luky: lucky }) };
  const provide = (held: Record<string, () => Promise<object>>) =>
    provideHooks([{ name: 'trainer-hook-lucky', version: '1.2.0', trainerHooks: manifest, entries: held }]);
  provide({});
  const [found] = discoverHooks().packages;
  await expect(importMaker(found!, found!.hooks[0]!)).rejects.toMatchObject({
    code: 'HOOK_FILE',
    message: expect.stringMatching(
      /trainer-hook-lucky@1\.2\.0.*is not part of this bundle. Build it again\./,
    ),
  });
  provide(entries);
  await expect(importMaker(found!, found!.hooks[0]!)).rejects.toMatchObject({
    code: 'HOOK_EXPORT',
    message: expect.stringContaining('it has no export "lucky". It exports: luky.'),
  });
});

it.each([
  'checkPeerRange',
  'discoverCommands',
  'hookFile',
  'howToGetCommand',
  'importExport',
  'importFile',
  'loadCommand',
  'realFile',
] as const)('%s, which needs the files of a project, says that a browser has none', (name) => {
  const { [name]: member } = { ...browser };
  expect(member).toThrow(
    expect.objectContaining({ code: 'NO_PROJECT', message: expect.stringContaining(`${name}() reads`) }),
  );
});

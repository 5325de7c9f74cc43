import { existsSync } from 'node:fs';
import { join, parse } from 'node:path';
import { npmProject, plugin, tempFolder, write } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { discoverHooks } from '../../src/discovery/discover-hooks.js';
import type { Discovery } from '../../src/discovery/discovery.js';

const hookNames = ({ packages }: Discovery) => packages.flatMap(({ hooks }) => hooks.map(({ name }) => name));

test('finds the hooks of direct dependencies, in package.json order', () => {
  const root = npmProject({
    'trainer-hook-b': plugin('trainer-hook-b', 'b'),
    lodash: { 'package.json': { name: 'lodash', version: '4.0.0' } },
    '@acme/trainer-hook-a': plugin('@acme/trainer-hook-a', 'a'),
  });
  const discovery = discoverHooks({ root: join(root, 'node_modules') });
  expect(discovery).toEqual({
    root,
    looked: [join(root, 'node_modules')],
    notInstalled: [],
    packages: [
      {
        name: 'trainer-hook-b',
        version: '1.2.3',
        dir: join(root, 'node_modules/trainer-hook-b'),
        from: 'dependencies',
        hooks: [{ name: 'b', entry: './index.js', export: 'default', description: '', autoload: true }],
        status: 'found',
        reasons: [],
        warnings: [],
      },
      expect.objectContaining({ name: '@acme/trainer-hook-a', status: 'found' }),
    ],
  });
});

test('runs no plugin code', () => {
  const code = (marker: string) =>
    `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(marker)}, ''); export default () => ({ name: 'x' });`;
  const marker = join(tempFolder(), 'ran');
  const root = npmProject({ 'trainer-hook-x': plugin('trainer-hook-x', 'x', { code: code(marker) }) });
  expect(hookNames(discoverHooks({ root }))).toEqual(['x']);
  expect(existsSync(marker)).toBe(false);
});

test('leaves transitive and undeclared packages alone', () => {
  const root = npmProject({ 'trainer-hook-x': plugin('trainer-hook-x', 'x') });
  write(root, {
    'node_modules/trainer-hook-x/node_modules/trainer-hook-inner/package.json': plugin('i', 'inner')[
      'package.json'
    ]!,
    'node_modules/trainer-hook-stray/package.json': plugin('s', 'stray')['package.json']!,
  });
  expect(hookNames(discoverHooks({ root }))).toEqual(['x']);
});

test('looks at optional dependencies too, and at devDependencies on request', () => {
  const root = tempFolder({
    'package.json': {
      devDependencies: { 'trainer-hook-dev': '*', 'trainer-hook-x': '*' },
      optionalDependencies: { 'trainer-hook-optional': '*' },
      dependencies: { 'trainer-hook-x': '*' },
    },
  });
  for (const name of ['dev', 'optional', 'x']) {
    write(join(root, 'node_modules', `trainer-hook-${name}`), plugin(`trainer-hook-${name}`, name));
  }
  expect(hookNames(discoverHooks({ root }))).toEqual(['x', 'optional']);
  const withDev = discoverHooks({ root, includeDev: true });
  expect(withDev.packages.map(({ name, from }) => [name, from])).toEqual([
    ['trainer-hook-x', 'dependencies'],
    ['trainer-hook-optional', 'optionalDependencies'],
    ['trainer-hook-dev', 'devDependencies'],
  ]);
});

test('lists peer dependencies with hooks, and does not miss those that are not installed', () => {
  const root = tempFolder({
    'package.json': {
      dependencies: { 'trainer-hook-x': '*' },
      devDependencies: { 'trainer-hook-peer': '*' },
      peerDependencies: { 'trainer-hook-peer': '*', 'trainer-hook-x': '*', missing: '*' },
    },
  });
  for (const name of ['peer', 'x']) {
    write(join(root, 'node_modules', `trainer-hook-${name}`), plugin(`trainer-hook-${name}`, name));
  }
  const fields = (options: object) =>
    discoverHooks({ root, ...options }).packages.map(({ name, from }) => [name, from]);
  expect(fields({})).toEqual([
    ['trainer-hook-x', 'dependencies'],
    ['trainer-hook-peer', 'peerDependencies'],
  ]);
  expect(fields({ includeDev: true })[1]).toEqual(['trainer-hook-peer', 'devDependencies']);
  expect(discoverHooks({ root }).notInstalled).toEqual([]);
});

test('a version that would steer the terminal is not taken for one', () => {
  const json = { version: '1.0.0\u001b[2J\nfake line' };
  const root = npmProject({ 'trainer-hook-x': plugin('trainer-hook-x', 'x', { json }) });
  expect(discoverHooks({ root }).packages[0]).toMatchObject({ status: 'found', version: '' });
});

test('lists what is declared but not installed, unless it is optional', () => {
  const root = tempFolder({
    'package.json': {
      dependencies: { missing: '1', both: '1' },
      optionalDependencies: { perhaps: '1', both: '1' },
    },
  });
  expect(discoverHooks({ root })).toMatchObject({ packages: [], notInstalled: ['missing'] });
});

test('include and exclude say which packages count, with * for any text', () => {
  const root = npmProject({
    '@acme/trainer-hook-a': plugin('@acme/trainer-hook-a', 'a'),
    '@acme/trainer-hook-b': plugin('@acme/trainer-hook-b', 'b'),
    'trainer-hook-c': plugin('trainer-hook-c', 'c', { peer: '^9.0.0' }),
  });
  const { packages } = discoverHooks({ root, include: ['@acme/*'], exclude: ['@acme/trainer-hook-b'] });
  expect(packages.map(({ name, status, reasons }) => [name, status, ...reasons])).toEqual([
    ['@acme/trainer-hook-a', 'found'],
    ['@acme/trainer-hook-b', 'disabled', 'Left out by discover.exclude.'],
    ['trainer-hook-c', 'disabled', 'Not in discover.include.'],
  ]);
});

test('a broken manifest is rejected with every problem, and other plugins are found', () => {
  const root = npmProject({
    'trainer-hook-broken': plugin('trainer-hook-broken', 'x', {
      trainerHooks: { schema: 1, hooks: { X: './index.js', y: '../other/index.js' } },
    }),
    'trainer-hook-fine': plugin('trainer-hook-fine', 'fine'),
  });
  const [broken, fine] = discoverHooks({ root }).packages;
  expect(broken).toMatchObject({ status: 'rejected', version: '1.2.3' });
  expect(broken?.reasons).toEqual([
    expect.stringContaining('trainerHooks.hooks["X"]: expected a hook name'),
    expect.stringContaining('trainerHooks.hooks["y"]: expected a path that begins with'),
  ]);
  expect(fine?.status).toBe('found');
});

test('a package.json that is not JSON is rejected, and other plugins are found', () => {
  const root = npmProject({
    'trainer-hook-broken': { 'package.json': '{ "name": "trainer-hook-broken", "trainerHooks": { ' },
    'trainer-hook-list': { 'package.json': '["trainerHooks"]' },
    'trainer-hook-fine': plugin('trainer-hook-fine', 'fine'),
  });
  const { packages } = discoverHooks({ root });
  expect(packages.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'found']);
  expect(packages[0]?.reasons[0]).toMatch(/trainer-hook-broken.package\.json is not JSON/);
});

test('a package that only mentions trainerHooks is not a plugin', () => {
  const root = npmProject({ 'create-hook': { 'package.json': { keywords: ['trainerHooks'] } } });
  expect(discoverHooks({ root }).packages).toEqual([]);
});

test('a package.json with a byte order mark is read', () => {
  const json = JSON.stringify(plugin('trainer-hook-x', 'x')['package.json']);
  const root = npmProject({ 'trainer-hook-x': { 'package.json': `\uFEFF${json}` } });
  expect(hookNames(discoverHooks({ root }))).toEqual(['x']);
});

test('a dependency with the name of a Node module is found', () => {
  const root = npmProject({ events: plugin('events', 'events') });
  expect(hookNames(discoverHooks({ root }))).toEqual(['events']);
});

test('a project whose package.json is broken is reported', () => {
  const root = tempFolder({ 'package.json': '{ "dependencies": ' });
  expect(() => discoverHooks({ root })).toThrow(/package\.json is not JSON/);
});

test('a folder without a project has no hooks', () => {
  const { root } = parse(process.cwd());
  expect(discoverHooks({ root })).toEqual({ root, looked: [root], packages: [], notInstalled: [] });
});

test.each([undefined, 3, null, 'a b'])('a package whose version is %j is listed without one', (version) => {
  const root = npmProject({ 'trainer-hook-x': plugin('trainer-hook-x', 'x', { json: { version } }) });
  expect(discoverHooks({ root }).packages[0]!.version).toBe('');
});

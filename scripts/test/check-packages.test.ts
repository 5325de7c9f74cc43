import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { validateManifest } from '../../packages/hook-api/src/manifest.js';
import { BUILT_IN_PACKAGES } from '../../packages/hook-discovery/src/built-in-packages.js';
import { packageProblems } from '../check-packages.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-packages-'));
  for (const file of ['README.md', 'tsconfig.json', 'tsconfig.build.json', 'tsup.config.ts']) write(file, '');
  write('src/index.ts', "export { progress } from './progress.js';\n");
  write('src/progress.ts', "import type { Hook } from '@hookline/hook-api';\nexport type progress = Hook;\n");
  for (const file of ['src/session.ts', 'src/options.ts']) write(file, 'export {};\n');
  write('test/progress.test.ts', 'testHook(progress);\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a package in good shape', () => {
  it('has no problems', () => {
    expect(problems()).toEqual([]);
  });
});

describe('a package is refused when', () => {
  it.each(['README.md', 'tsconfig.build.json', 'src/index.ts'])('%s is missing', (file) => {
    rmSync(join(folder, file));
    expect(problems()).toEqual([`${file} is missing`]);
  });

  it('it has no tests', () => {
    rmSync(join(folder, 'test'), { recursive: true });
    expect(problems()).toEqual(['test/ holds no *.test.ts']);
  });

  it('no test holds its hook to the promises of a hook', () => {
    write('test/progress.test.ts', '');
    expect(problems()).toEqual([
      'test/ does not hold "progress" to the promises of a hook: testHook(progress)',
    ]);
  });

  it.each(['license', 'engines', 'type', 'files', 'sideEffects', 'description'])('%s is missing', (field) => {
    expect(problems({ [field]: undefined })).toEqual([expect.stringContaining(field)]);
  });

  it('its package.json is hidden by its exports', () => {
    const { '.': main } = good.exports;
    expect(problems({ exports: { '.': main } })).toEqual([expect.stringContaining('"./package.json"')]);
  });

  it('its types come after its code in the exports', () => {
    const main = {
      '@hookline/source': './src/index.ts',
      default: './dist/index.js',
      types: './dist/index.d.ts',
    };
    const exported = { '.': main, './package.json': './package.json' };
    expect(problems({ exports: exported })).toEqual([expect.stringContaining('exports["."]')]);
  });

  it('bundlers would leave out an entry that is imported for what it does', () => {
    write('src/register.ts', "import { progress } from './progress.js';\n\nawait progress();\n");
    const register = {
      '@hookline/source': './src/register.ts',
      types: './dist/register.d.ts',
      default: './dist/register.js',
    };
    const exported = { ...good.exports, './register': register };
    expect(problems({ exports: exported })).toEqual([expect.stringContaining('sideEffects')]);
    const sideEffects = ['./dist/register.js', './src/register.ts'];
    expect(problems({ exports: exported, sideEffects })).toEqual([]);
  });

  it('it says that importing it has no effect, and a source file deep inside has one', () => {
    write('src/backends/start.ts', 'start();\n\nfunction start(): void {}\n');
    expect(problems()).toEqual([
      'sideEffects in package.json should be ["./dist/*.js","./src/backends/start.ts"], but is false',
    ]);
    expect(problems({ sideEffects: ['./dist/*.js', './src/backends/start.ts'] })).toEqual([]);
  });

  it('it claims an effect that it does not have', () => {
    expect(problems({ sideEffects: ['./dist/*.js'] })).toEqual([expect.stringContaining('sideEffects')]);
  });

  it.each(['repository', 'homepage', 'bugs'])('it has its own %s', (field) => {
    expect(problems({ [field]: 'https://example.com' })).toEqual([
      `${field} in package.json is written when it is packed: remove it`,
    ]);
  });

  it('its imports have a name that nobody knows', () => {
    expect(problems({ imports: { '#other': './dist/other.js' } })).toEqual([
      'imports["#other"] in package.json is neither #host nor a package of tfjs',
    ]);
  });

  it('a source file is longer than 400 lines', () => {
    write('src/long.ts', 'export {};\n'.repeat(401));
    expect(problems()).toEqual(['src/long.ts has 401 lines; the limit is 400']);
  });

  it('a source file imports what is declared for development only', () => {
    write('src/extra.ts', "import { pino } from 'pino';\n");
    expect(problems({ devDependencies: { pino: '1' } })).toEqual([
      'src/extra.ts imports pino, which is neither a dependency nor a peer dependency',
    ]);
  });
});

describe('a hook package is refused when', () => {
  it.each(['src/session.ts', 'src/options.ts'])('%s is missing', (file) => {
    rmSync(join(folder, file));
    expect(problems()).toEqual([`${file} is missing`]);
  });

  it('it raises errors that are not in its table of codes', () => {
    write('src/errors.ts', 'export const make = () => new HooklineError();\n');
    expect(problems()).toEqual([]);
    write('src/session.ts', 'export const make = () => new HooklineError();\n');
    expect(problems()).toEqual([
      'src/session.ts makes its own HooklineError: codes belong into src/errors.ts',
    ]);
  });

  it('it depends on the trainer at run time', () => {
    const peerDependencies = { ...good.peerDependencies, '@hookline/trainer': '^0.1.0' };
    expect(problems({ peerDependencies })).toEqual([expect.stringContaining('@hookline/trainer')]);
  });

  it('people cannot find it by the keyword', () => {
    expect(problems({ keywords: ['hookline'] })).toEqual(['keywords must have "trainer-hook"']);
  });

  it('its manifest is missing', () => {
    expect(problems({ trainerHooks: undefined })).toEqual(['package.json has no "trainerHooks"']);
  });

  it('its manifest is broken', () => {
    const trainerHooks = { schema: 1, hooks: { progress: { entry: '../outside.js', export: 'progress' } } };
    expect(problems({ trainerHooks })).toEqual([
      expect.stringContaining('trainerHooks.hooks["progress"].entry'),
    ]);
  });

  it('its hook is not one of the built-in hooks of its package', () => {
    const trainerHooks = { schema: 1, hooks: { other: { entry: './dist/index.js', export: 'progress' } } };
    expect(problems({ trainerHooks })).toEqual([expect.stringContaining('BUILT_IN_PACKAGES')]);
  });
});

it('hook-discovery, which finds hooks, need not bring any', () => {
  const changes = { name: '@hookline/hook-discovery', trainerHooks: undefined, keywords: ['hookline'] };
  expect(problems(changes, 'packages/hook-discovery')).toEqual([]);
});

it('hook-api is refused when it has a runtime dependency', () => {
  const changes = { name: '@hookline/hook-api', dependencies: { pino: '1' } };
  expect(problems(changes, 'packages/hook-api')).toEqual([expect.stringContaining('no runtime dependency')]);
});

const good = {
  name: '@hookline/hook-progress',
  version: '1.0.0',
  description: 'A progress bar',
  license: 'Apache-2.0',
  type: 'module',
  sideEffects: false,
  engines: { node: '>=20.19.0' },
  keywords: ['trainer-hook'],
  files: ['dist'],
  exports: {
    '.': { '@hookline/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
    './package.json': './package.json',
  },
  trainerHooks: { schema: 1, hooks: { progress: { entry: './dist/index.js', export: 'progress' } } },
  scripts: { build: 'tsup && tsc -p tsconfig.build.json', typecheck: 'tsc --noEmit' },
  peerDependencies: { '@hookline/hook-api': '^1.0.0' },
};

function problems(changes: Record<string, unknown> = {}, path = 'packages/hook-progress'): string[] {
  return packageProblems(
    { folder, path, manifest: { ...good, ...changes } },
    { BUILT_IN_PACKAGES, validateManifest },
  );
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

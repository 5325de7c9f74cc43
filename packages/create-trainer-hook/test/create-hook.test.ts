import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateManifest } from '@hookline/hook-api/manifest';
import { errorOf, tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { buildTemplate } from '../build-template.js';
import { createHook } from '../src/index.js';
import { runCli } from '../src/run-cli.js';

/** A working directory, and how a hook is made in it. */
function place() {
  const [cwd, template] = [tempFolder(), tempFolder()];
  buildTemplate(template);
  const printed = { out: '', err: '' };
  const output = {
    out(text: string) {
      printed.out += text;
    },
    err(text: string) {
      printed.err += text;
    },
  };
  const options = { cwd, template, author: 'Ada "L" Lovelace' };
  return {
    cwd,
    template,
    printed,
    create: (name: string) => createHook(name, options),
    cli: (...args: string[]) => runCli(args, output, options),
    json: (file: string) => JSON.parse(readFileSync(join(cwd, file), 'utf8')),
    text: (file: string) => readFileSync(join(cwd, file), 'utf8'),
  };
}

test('a name is enough: the package, its hook, its factory and its files are named after it', () => {
  const { create, json, text } = place();
  const made = create('loss-smoother');
  expect(made).toMatchObject({
    package: 'trainer-hook-loss-smoother',
    hook: 'loss-smoother',
    factory: 'lossSmoother',
  });
  expect(made.files).toEqual([
    ...[
      '.changeset/config.json',
      '.github/workflows/ci.yml',
      '.gitignore',
      'LICENSE',
      'README.md',
      'package.json',
    ],
    ...['src/index.ts', 'src/loss-smoother.ts', 'src/options.ts', 'test/conformance.test.ts'],
    ...['test/loss-smoother.test.ts', 'tsconfig.build.json', 'tsconfig.json', 'tsup.config.ts'],
  ]);
  const manifest = json('loss-smoother/package.json');
  expect(manifest).toMatchObject({
    name: 'trainer-hook-loss-smoother',
    author: 'Ada "L" Lovelace',
    license: 'MIT',
  });
  const { hooks, problems, warnings } = validateManifest(manifest.trainerHooks, manifest.name);
  expect(hooks).toMatchObject([{ name: 'loss-smoother', export: 'lossSmoother' }]);
  expect([...problems, ...warnings]).toEqual([]);
  expect(text('loss-smoother/src/loss-smoother.ts')).toContain("name: 'loss-smoother'");
  expect(text('loss-smoother/LICENSE')).toMatch(/Copyright \(c\) 20\d\d Ada "L" Lovelace/);
  for (const file of made.files)
    expect(text(join('loss-smoother', file)), file).not.toMatch(/my-?hook|THE (AUTHOR|YEAR)\b/i);
});

test('every dependency has a range of a version that exists here', () => {
  const { create, json } = place();
  create('ema');
  const { peerDependencies, devDependencies } = json('ema/package.json');
  for (const range of Object.values({ ...peerDependencies, ...devDependencies })) {
    expect(range).toMatch(/^\^\d+\.\d+\.\d+$/);
  }
  expect(peerDependencies['@hookline/hook-api']).toMatch(/^\^1\./);
});

test('a scope is kept, a prefix is not doubled, and a path says where', () => {
  const { cwd, create } = place();
  expect(create('@acme/ema').package).toBe('@acme/trainer-hook-ema');
  expect(create('trainer-hook-swa')).toMatchObject({ package: 'trainer-hook-swa', hook: 'swa' });
  expect(create('deep/er/lookahead').package).toBe('trainer-hook-lookahead');
  expect(readdirSync(cwd).sort()).toEqual(['deep', 'ema', 'trainer-hook-swa']);
});

test('an empty folder is taken, and one with a file in it is refused and left as it was', async () => {
  const { cwd, create } = place();
  mkdirSync(join(cwd, 'empty'));
  expect(create('empty').files.length).toBeGreaterThan(5);
  mkdirSync(join(cwd, 'full'));
  writeFileSync(join(cwd, 'full', 'notes.txt'), 'mine');
  const error = await errorOf(() => create('full'));
  expect(error).toMatchObject({ code: 'NOT_EMPTY' });
  expect(error.message).toMatch(/full is not empty: it has notes\.txt\. Nothing was written/);
  expect(readdirSync(cwd).sort()).toEqual(['empty', 'full']);
  expect(readdirSync(join(cwd, 'full'))).toEqual(['notes.txt']);
});

test.each([
  ['My-Hook', 'BAD_NAME', /"My-Hook" cannot be the name of a hook: small letters/],
  ['1st', 'BAD_NAME', /"1st" cannot be/],
  ['..', 'BAD_NAME', /cannot be the name of a hook/],
  ['my_hook', 'BAD_NAME', /with "-" between words/],
  ['@Acme/ema', 'BAD_NAME', /"@Acme" cannot be a scope of npm/],
  [`a${'b'.repeat(214)}`, 'BAD_NAME', /at most 214 characters/],
  [
    'early-stopping',
    'BUILT_IN_NAME',
    /"early-stopping" is the name of a hook of Hookline.*my-early-stopping/,
  ],
  ['trainer-hook-progress', 'BUILT_IN_NAME', /"progress" is the name of a hook of Hookline/],
])('the name %s is refused, and nothing is written', async (name, code, says) => {
  const { cwd, create } = place();
  const error = await errorOf(() => create(name));
  expect(error).toMatchObject({ code });
  expect(error.message).toMatch(says);
  expect(readdirSync(cwd)).toEqual([]);
});

test('where the folder cannot be created, nothing is left', async () => {
  const { cwd, create } = place();
  writeFileSync(join(cwd, 'file'), '');
  await errorOf(() => create('file/ema'));
  expect(readdirSync(cwd)).toEqual(['file']);
});

test('when writing fails halfway, nothing is left, and an empty folder that was there stays', async () => {
  const { cwd, create, template } = place();
  // With the names filled in, the last one is a file in what is a file itself.
  writeFileSync(join(template, 'ema'), 'a file');
  mkdirSync(join(template, 'my-hook'));
  writeFileSync(join(template, 'my-hook', 'inside'), 'a file in it');
  mkdirSync(join(cwd, 'ema'));
  expect(await errorOf(() => create('ema'))).toMatchObject({ code: expect.stringMatching(/ENOTDIR|EEXIST/) });
  expect(readdirSync(cwd)).toEqual(['ema']);
  expect(readdirSync(join(cwd, 'ema'))).toEqual([]);
});

test('without an author, the license and package.json have the one that git knows', () => {
  const { cwd, template, json, text } = place();
  process.env.GIT_CONFIG_COUNT = '1';
  process.env.GIT_CONFIG_KEY_0 = 'user.name';
  process.env.GIT_CONFIG_VALUE_0 = 'Grace Hopper';
  createHook('ema', { cwd, template });
  expect(json('ema/package.json').author).toBe('Grace Hopper');
  expect(text('ema/LICENSE')).toContain(`Copyright (c) ${new Date().getFullYear()} Grace Hopper`);
});

test('where there is no git, the license is that of the authors of the package, and nothing is printed', () => {
  const { cwd, template, json, text } = place();
  process.env.PATH = cwd;
  createHook('ema', { cwd, template });
  expect(json('ema/package.json').author).toBe('');
  expect(text('ema/LICENSE')).toContain('the authors of trainer-hook-ema');
});

test('help goes to standard output and makes nothing, also beside a name', () => {
  const { cwd, cli, printed } = place();
  for (const args of [['-h'], ['--help'], ['ema', '--help']]) {
    printed.out = '';
    expect(cli(...args)).toBe(0);
    expect(printed.out).toMatch(/^npm create trainer-hook <name>\n/);
  }
  expect(printed.err).toBe('');
  expect(readdirSync(cwd)).toEqual([]);
});

test('a call that is wrong says what was given and how to call it, on standard error', () => {
  const { cli, printed } = place();
  expect(cli('ema', 'swa')).toBe(2);
  expect(printed.err).toMatch(/^Expected one name, got: ema swa\n\nnpm create trainer-hook <name>\n/);
  expect(printed.out).toBe('');
});

test('the command says what to do next, or what was wrong, and its exit code tells them apart', () => {
  const { cwd, cli, printed } = place();
  expect(cli('ema')).toBe(0);
  expect(printed.out).toMatch(
    /^trainer-hook-ema is in ema, 14 files\. Its hook is "ema"\.\n\n {2}cd ema\n {2}npm install\n/,
  );
  expect(cli('ema')).toBe(1);
  expect(printed.err).toMatch(/is not empty/);
  expect([cli(), cli('--force'), cli('a', 'b'), cli('--help')]).toEqual([2, 2, 2, 0]);
  expect(printed.err).toContain('The name of the hook is missing.');
  expect(existsSync(join(cwd, 'a'))).toBe(false);
});

test('a file where the folder should be is refused and left', async () => {
  const { cwd, create, text } = place();
  writeFileSync(join(cwd, 'ema'), 'mine');
  const error = await errorOf(() => create('ema'));
  expect(error).toMatchObject({ code: 'NOT_EMPTY' });
  expect(error.message).toMatch(/ema is a file\. Nothing was written\./);
  expect(text('ema')).toBe('mine');
});

test('a folder with many files is named with three of them', async () => {
  const { cwd, create } = place();
  mkdirSync(join(cwd, 'full'));
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(cwd, 'full', name), '');
  expect((await errorOf(() => create('full'))).message).toContain('it has a, b, c and 1 more. Nothing');
});

test('the names of the package fit together: manifest, exports, tests and README', () => {
  const { create, json, text } = place();
  create('switch');
  const { trainerHooks, exports, name } = json('switch/package.json');
  expect(trainerHooks.hooks.switch).toMatchObject({ entry: './dist/index.js', export: 'switchHook' });
  expect(exports['./package.json']).toBe('./package.json');
  expect(text('switch/src/index.ts')).toContain("export { switchHook } from './switch.js';");
  expect(text('switch/test/conformance.test.ts')).toContain('testHook(switchHook, { packed: true });');
  expect(text('switch/README.md')).toContain(`npm install ${name}`);
});

test('what is not for the repository is ignored, and only what is built is published', () => {
  const { create, json, text } = place();
  create('ema');
  expect(text('ema/.gitignore').split('\n')).toEqual(expect.arrayContaining(['node_modules/', 'dist/']));
  const { files, scripts, keywords } = json('ema/package.json');
  expect([files, scripts.prepublishOnly, keywords[0]]).toEqual([['dist'], 'npm test', 'trainer-hook']);
});

test('the workflow runs the tests on the versions of Node that the README of this package names', () => {
  const { create, text } = place();
  create('ema');
  const workflow = text('ema/.github/workflows/ci.yml');
  for (const version of [20, 22, 24]) expect(workflow).toContain(String(version));
  expect(workflow).toContain('npm test');
});

test.each([['-h'], ['--help'], ['ema', '--help']])(
  '%s %s prints how to call it, and writes nothing',
  (...args) => {
    const { cwd, cli, printed } = place();
    expect(cli(...args)).toBe(0);
    expect(printed.out).toMatch(/^npm create trainer-hook <name>\n/);
    expect(readdirSync(cwd)).toEqual([]);
  },
);

test('a scope shows in the package, and the way to it is that of the folder', () => {
  const { cli, printed } = place();
  expect(cli('@acme/ema')).toBe(0);
  expect(printed.out).toMatch(
    /^@acme\/trainer-hook-ema is in ema, 14 files\. Its hook is "ema"\.\n\n {2}cd ema\n/,
  );
});

test('a folder that cannot be made is named, with what to do', () => {
  const { cwd, cli, printed } = place();
  writeFileSync(join(cwd, 'file'), '');
  expect(cli('file/inside/ema')).toBe(1);
  expect(printed.err).toMatch(
    /file\/inside\/ema cannot be created: ENOTDIR.*Name a folder where you may write/,
  );
});

test('the folders on the way are made, and nothing but the package is left in them', () => {
  const { cwd, create, json } = place();
  const { folder } = create('hooks/of/mine/ema');
  expect(folder).toBe(join(cwd, 'hooks/of/mine/ema'));
  expect(readdirSync(cwd)).toEqual(['hooks']);
  expect(readdirSync(join(cwd, 'hooks/of/mine'))).toEqual(['ema']);
  expect(json('hooks/of/mine/ema/package.json').name).toBe('trainer-hook-ema');
});

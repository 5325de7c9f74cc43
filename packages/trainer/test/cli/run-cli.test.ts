import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundledProgram } from '@hookline/test-programs';
import { npmProject, plugin, tempFolder, write } from '@hookline/test-support';
import { afterEach, expect, test, vi } from 'vitest';
import { hookline } from './hookline.js';

afterEach(() => vi.unstubAllEnvs());

const packages = {
  '@hookline/hook-progress': plugin('@hookline/hook-progress', 'progress', {
    trainerHooks: {
      schema: 1,
      hooks: { progress: { entry: './index.js', kinds: ['lifecycle', 'update'] } },
    },
  }),
  'trainer-hook-ema': plugin('trainer-hook-ema', 'ema', { peer: null }),
  'trainer-hook-quiet': plugin('trainer-hook-quiet', 'quiet', {
    trainerHooks: { schema: 1, hooks: { quiet: { entry: './index.js', autoload: false } } },
  }),
};
const old = { 'trainer-hook-old': plugin('trainer-hook-old', 'old', { peer: '^0.1.0' }) };

test('hookline hooks lists every package with hooks: status, kinds and reasons, and the order in which they run', async () => {
  const root = npmProject({ ...packages, ...old });
  write(root, {
    'package.json': { dependencies: { ...dependenciesOf(packages), ...dependenciesOf(old), gone: '1' } },
  });
  const { code, out } = await hookline('hooks', '--root', root);
  expect(
    out.replaceAll(root, '<root>').replace(/\d+\.\d+\.\d+(?=[) ]|$)/g, '<version>'),
  ).toMatchInlineSnapshot(`
    "Hooks in the dependencies of <root> (hook-api <version>)

      progress  @hookline/hook-progress@<version>  on        lifecycle, update
      ema       trainer-hook-ema@<version>         on
      quiet     trainer-hook-quiet@<version>       off
          autoload is false: on only when you name it, as in hooks: ['quiet']
      old       trainer-hook-old@<version>         rejected
          needs @hookline/hook-api ^0.1.0, but <version> is running. Install a version that fits (npm install trainer-hook-old@latest), or use it anyway with HOOKLINE_SKIP_PEER_CHECK=1.

    Warnings
      trainer-hook-ema@1.2.3: does not say which @hookline/hook-api it works with: peerDependencies["@hookline/hook-api"] is missing.
      gone is in package.json, but not installed: npm install

    Order: ema, progress
    "
  `);
  expect(code).toBe(1);
});

test('hookline hooks --json prints the same as data', async () => {
  const root = npmProject(packages);
  const { code, out } = await hookline('hooks', '--json', '--root', root);
  const { packages: listed, order } = JSON.parse(out);
  expect(listed.map(({ name, status }: Record<string, string>) => [name, status])).toEqual([
    ['@hookline/hook-progress', 'found'],
    ['trainer-hook-ema', 'found'],
    ['trainer-hook-quiet', 'found'],
  ]);
  expect(order).toEqual(['ema', 'progress']);
  expect(listed[0].hooks[0].kinds).toEqual(['lifecycle', 'update']);
  expect(code).toBe(0);
});

test('hookline hooks --dev looks at devDependencies', async () => {
  const root = tempFolder({ 'package.json': { devDependencies: { 'trainer-hook-ema': '*' } } });
  write(join(root, 'node_modules/trainer-hook-ema'), packages['trainer-hook-ema']);
  expect((await hookline('hooks', '--root', root)).out).toContain('none.');
  expect((await hookline('hooks', '--root', root, '--dev')).out).toContain('Order: ema');
});

test('hookline hooks says when discovery is switched off', async () => {
  vi.stubEnv('HOOKLINE_DISCOVERY', 'off');
  const { out } = await hookline('hooks', '--root', npmProject(packages));
  expect(out).toContain('HOOKLINE_DISCOVERY=off: on only when you name it');
  expect(out).toContain('Order: nothing runs');
});

test('hookline hooks lists peer dependencies with hooks, and how to switch them on', async () => {
  const root = tempFolder({ 'package.json': { peerDependencies: { 'trainer-hook-ema': '*' } } });
  write(join(root, 'node_modules/trainer-hook-ema'), packages['trainer-hook-ema']);
  const { out } = await hookline('hooks', '--root', root);
  expect(out).toContain("it is in peerDependencies: on only when you name it, as in hooks: ['ema']");
  expect(out).toContain('Order: nothing runs');
});

test('a folder that is not there, or without a project, is an error', async () => {
  for (const command of ['hooks', 'doctor']) {
    expect(await hookline(command, '--root', '/nowhere/at/all')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('There is no folder /nowhere/at/all. Name the folder of your project'),
    });
  }
  expect(await hookline('hooks', '--root', '/')).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is no package.json in or above /'),
  });
});

test('a hook whose file is missing is not on', async () => {
  const unbuilt = plugin('trainer-hook-x', 'x', {
    trainerHooks: { schema: 1, hooks: { x: './dist/index.js' } },
  });
  const root = npmProject({ ...packages, 'trainer-hook-x': unbuilt });
  const { code, out } = await hookline('hooks', '--root', root);
  expect(out).toMatch(/x +trainer-hook-x@1\.2\.3 +broken\n .*there is no such file/);
  expect(out).toContain('Order: ema, progress\n');
  expect(code).toBe(1);
});

test('hookline hooks --check loads every hook, and only what loads is on', async () => {
  const root = npmProject({
    ...packages,
    'trainer-hook-x': plugin('trainer-hook-x', 'x', { code: `throw new Error('no GPU');` }),
    'trainer-hook-url': plugin('trainer-hook-url', 'url', {
      trainerHooks: { schema: 1, hooks: { url: { entry: './index.js', autoload: false } } },
      code: `export default ({ url }) => ({ name: 'url', url });`,
    }),
  });
  expect(await hookline('hooks', '--root', root)).toMatchObject({
    code: 0,
    out: expect.stringContaining('Order: ema, x, progress'),
  });
  const { code, out } = await hookline('hooks', '--check', '--root', root);
  expect(out).toMatch(/x +trainer-hook-x@1\.2\.3 +broken\n .*no GPU/);
  expect(out).toMatch(/url +trainer-hook-url@1\.2\.3 +off\n.*as in hooks: \['url'\]\n .*without options: /);
  expect(out).toContain('Order: ema, progress\n');
  expect(code).toBe(1);
  const { broken } = JSON.parse((await hookline('hooks', '--check', '--json', '--root', root)).out);
  expect(broken).toEqual([{ name: 'x', reason: expect.stringContaining('no GPU') }]);
});

test('hookline --version prints the version', async () => {
  for (const flag of ['--version', '-v']) {
    expect(await hookline(flag)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^hookline \d+\.\d+\.\d+\n$/),
    });
  }
});

test('nothing in a package steers the terminal or fakes a line', async () => {
  const evil = 'x\u001b[2J\u009b1mx\nOrder: nothing\u202e';
  const root = npmProject({
    'trainer-hook-x': plugin('trainer-hook-x', 'x', {
      trainerHooks: { schema: 1, hooks: { [evil]: './index.js' } },
      json: { version: evil },
    }),
    'trainer-hook-broken': { 'package.json': `{ "trainerHooks": ${evil}` },
  });
  for (const args of [['hooks'], ['hooks', '--json']]) {
    const { out, err } = await hookline(...args, '--root', root);
    expect(out + err).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
    expect(out.match(/^Order:/gm) ?? []).toHaveLength(args.length === 1 ? 1 : 0);
  }
});

test('an unknown command or option is reported with the nearest one', async () => {
  expect(await hookline('hook')).toMatchObject({
    code: 2,
    err: expect.stringContaining('hookline has no command "hook". Did you mean "hooks"?'),
  });
  expect(await hookline('hooks', '--jsn')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/'--jsn'\. Did you mean "json"\?\n\nhookline hooks/),
  });
  expect(await hookline('toString')).toMatchObject({ code: 2 });
  expect(await hookline('hooks', 'extra')).toMatchObject({ code: 2 });
});

test('hookline --help lists the commands, and each command explains itself', async () => {
  for (const flag of ['--help', '-h', 'help']) {
    expect(await hookline(flag)).toMatchObject({ code: 0, out: expect.stringContaining('hookline hooks') });
  }
  expect(await hookline()).toMatchObject({ code: 2, out: expect.stringContaining('hookline hooks') });
  expect(await hookline('hooks', '--help')).toMatchObject({
    code: 0,
    out: expect.stringContaining('--root <folder>'),
  });
});

test('a project that cannot be read is one clear line', async () => {
  const root = tempFolder({ 'package.json': '{' });
  expect(await hookline('hooks', '--root', root)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^.*package\.json is not JSON: .*\n$/),
  });
});

test('in its own process it lists a plugin without running it', async () => {
  const marker = join(tempFolder(), 'ran');
  const code = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(marker)}, '');`;
  const root = npmProject({ 'trainer-hook-x': plugin('trainer-hook-x', 'x', { code }) });
  const file = await bundledProgram(`import './src/cli/main.ts';`, join(import.meta.dirname, '../..'));
  const { stdout } = await promisify(execFile)(process.execPath, [file, 'hooks'], { cwd: root });
  expect(stdout).toContain('Order: x');
  expect(existsSync(marker)).toBe(false);
});

function dependenciesOf(packages: object): Record<string, string> {
  return Object.fromEntries(Object.keys(packages).map((name) => [name, '*']));
}

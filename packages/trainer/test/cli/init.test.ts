import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundledProgram, runIsolated } from '@hookline/test-programs';
import { someOf, tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { hookline, hooklineIn } from './hookline.js';
import { installPackage } from './install-package.js';

const TRAINER = join(import.meta.dirname, '../..');

/** What the project imports, in place of \`npm install\`. */
async function install(root: string): Promise<void> {
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  symlinkSync(join(TRAINER, 'node_modules/@tensorflow'), join(root, 'node_modules/@tensorflow'), 'dir');
  await installPackage(root, 'trainer', `export { defineConfig } from './src/config/config.ts';`);
  await installPackage(root, 'hook-api');
  await installPackage(root, 'hook-early-stopping');
}

const LANGUAGES: [string, string[], string][] = [
  ['TypeScript', [], 'ts'],
  ['JavaScript', ['--js'], 'js'],
];

test.each(someOf(LANGUAGES, 1))(
  'hookline init writes a project in %s that trains, in a process without a loader',
  async (_language, flags, end) => {
    const root = join(tempFolder(), 'My Irises');
    const { code, out } = await hookline('init', root, ...flags);
    expect(code).toBe(0);
    for (const file of [
      'package.json',
      `hookline.config.${end}`,
      `model.${end}`,
      `hooks/milestones.${end}`,
      'README.md',
    ]) {
      expect(out).toContain(`  ${file}\n`);
    }
    const { name, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(name).toBe('my-irises');
    expect(dependencies).toHaveProperty('@hookline/trainer');
    await install(root);
    const cli = await bundledProgram(`import './src/cli/main.ts';`, TRAINER);
    const hooks = { 'hooks.checkpoint': false, 'hooks.progress': false, 'hooks.console-log': false };
    const set = Object.entries(hooks).flatMap(([path, value]) => ['--set', `${path}=${value}`]);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [cli, 'train', ...set], {
      cwd: root,
    });
    expect(stderr).toContain('[milestones] val/accuracy reached 0.9 in epoch');
    expect(Number(/test\/accuracy (\S+)/.exec(stdout)?.[1])).toBeGreaterThan(0.9);
    expect(readdirSync(join(root, 'runs'))).toHaveLength(1);
  },
);

test('hookline init refuses a folder that is not empty, and a file, and writes nothing', async () => {
  const root = tempFolder({ 'notes.txt': 'mine', file: '' });
  expect(await hookline('init', root)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/is not empty: it has file, notes\.txt\. Name a new folder/),
  });
  expect(await hookline('init', join(root, 'file'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('is a file'),
  });
  expect(readdirSync(root).sort()).toEqual(['file', 'notes.txt']);
});

test('hookline init takes the current folder when it is empty, or a new repository', async () => {
  const root = tempFolder({ '.git/HEAD': 'ref: refs/heads/main' });
  const { code, out } = await hooklineIn(root, 'init', '--js');
  expect(code).toBe(0);
  expect(out).toMatch(/Next:\n {2}npm install\n {2}npx hookline train\n$/);
});

test('hookline init that cannot write leaves nothing behind', async () => {
  const root = tempFolder({ file: '' });
  expect((await hookline('init', join(root, 'file/new'))).code).toBe(1);
  expect(readdirSync(root)).toEqual(['file']);
});

test.skipIf(process.platform !== 'linux')(
  'a folder that nobody can make is named, with what to do',
  async () => {
    const { value, exitCode } = await runIsolated<string>(
      TRAINER,
      `import { runCli } from './src/cli/run-cli.ts';
     process.exitCode = await runCli(['init', '/proc/hookline/project'], () => {}, report);`,
    );
    expect(value).toMatch(/\/proc\/hookline\/project cannot be written: ENOENT.*hookline init my-project/);
    expect(exitCode).toBe(1);
  },
);

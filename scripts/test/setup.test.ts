import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { someOf } from '../../testing/support/src/some-of.js';

let workspace: string;
let tools: string;

// A workspace with the real scripts, where npm and pnpm only write down how they were called. It is set up once: after
// each change it is up to date again.
beforeAll(() => {
  workspace = mkdtempSync(join(tmpdir(), 'hookline-setup-'));
  tools = join(workspace, 'tools');
  mkdirSync(tools);
  cpSync(fileURLToPath(new URL('..', import.meta.url)), join(workspace, 'scripts'), { recursive: true });
  write('package.json', '{}');
  write('pnpm-workspace.yaml', 'packages:\n  - packages/*\n');
  write('pnpm-lock.yaml', '');
  mkdirSync(join(workspace, 'packages', 'tap'), { recursive: true });
  write('packages/tap/package.json', '{}');
  mkdirSync(join(workspace, 'packages', 'tap', 'native'));
  write('packages/tap/native/tap.c', '');
  write('tools/npm-cli.js', npmCli);
  write('tools/pnpm', pnpm);
  chmodSync(join(tools, 'pnpm'), 0o755);
});
afterAll(() => rmSync(workspace, { recursive: true }));
beforeEach(() => write('tools/calls', ''));

describe('set-up', () => {
  it('installs with the pinned pnpm, at the versions of the lockfile', () => {
    setup();
    expect(calls()).toEqual([
      expect.stringMatching(/^npm exec --yes --package=pnpm@\d+\.\d+\.\d+ -- node /),
      'pnpm install --frozen-lockfile',
    ]);
  });

  it('starts nothing when it is up to date', () => {
    expect(setup()).toContain('up to date');
    expect(calls()).toEqual([]);
  });

  const inputs = ['package.json', 'packages/tap/package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'];
  it.each(['packages/tap/native/tap.c', ...someOf(inputs, 1)])(
    'installs again when %s has changed',
    (file) => {
      appendFileSync(join(workspace, file), '\n');
      setup();
      expect(calls()).toHaveLength(2);
    },
  );

  it('installs again when node_modules was removed', () => {
    rmSync(join(workspace, 'node_modules'), { recursive: true });
    setup();
    expect(calls()).toHaveLength(2);
  });

  it('hands its own options to pnpm', () => {
    setup('--no-frozen-lockfile');
    expect(calls().at(-1)).toBe('pnpm install --no-frozen-lockfile');
  });

  it('fails, says how to update the lockfile and is not taken as done when the install fails', () => {
    rmSync(join(workspace, 'node_modules'), { recursive: true });
    write('tools/fail', '');
    expect(setup).toThrow(/npm run setup -- --no-frozen-lockfile/);
    expect(existsSync(join(workspace, 'node_modules'))).toBe(false);
  });
});

const npmCli = `
const { appendFileSync } = require('node:fs');
const args = process.argv.slice(2);
appendFileSync(__dirname + '/calls', 'npm ' + args.join(' ') + '\\n');
const [, ...command] = args.slice(args.indexOf('--'));
const { status } = require('node:child_process').spawnSync(process.execPath, command.slice(1), { stdio: 'inherit' });
process.exitCode = status;
`;

const pnpm = `#!/bin/sh
folder=$(dirname "$0")
echo "pnpm $*" >> "$folder/calls"
test ! -e "$folder/fail"
`;

function setup(...options: string[]): string {
  const PATH = [tools, process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH, npm_execpath: join(tools, 'npm-cli.js') };
  const args = [join(workspace, 'scripts', 'run.mjs'), 'setup', ...options];
  return execFileSync(process.execPath, args, { cwd: workspace, env, encoding: 'utf8', stdio: 'pipe' });
}

function calls(): string[] {
  return readFileSync(join(tools, 'calls'), 'utf8').split('\n').filter(Boolean);
}

function write(file: string, text: string): void {
  writeFileSync(join(workspace, file), text);
}

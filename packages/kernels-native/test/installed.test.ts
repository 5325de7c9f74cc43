import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platformsHere } from '../src/platform.js';
import { kernels } from './support/bench.js';
import { type Installed, type Loaded, loadInstalled } from './support/installed.js';

const BROKEN = { text: 'not a library' };
const OTHER_SYSTEM = { text: '\u007fELF, but for another machine' };

// These move neither the platform nor a binary: they hold on every machine.
describe('the platforms of a process', () => {
  const on = (platform: string, arch: string): readonly string[] => {
    const before = { platform: process.platform, arch: process.arch };
    try {
      Object.defineProperty(process, 'platform', { value: platform });
      Object.defineProperty(process, 'arch', { value: arch });
      return platformsHere();
    } finally {
      Object.defineProperty(process, 'platform', { value: before.platform });
      Object.defineProperty(process, 'arch', { value: before.arch });
    }
  };

  it.each([
    ['linux', 'x64', ['linux-x64-gnu', 'linux-x64-musl']],
    ['darwin', 'x64', ['darwin-x64']],
    ['win32', 'x64', ['win32-x64']],
    ['linux', 'arm64', []],
    ['linux', 'ia32', []],
    ['darwin', 'arm64', []],
    ['win32', 'arm64', []],
    ['freebsd', 'x64', []],
    ['lin', 'ux-x64', []],
    ['linux', 'x64-gnu', ['linux-x64-gnu']],
  ])('%s on %s has those binaries that may fit', (platform, arch, expected) => {
    expect(on(platform, arch)).toEqual(expected);
  });
});

const compiler = process.arch === 'x64' && ['cc', 'gcc', 'clang'].find(isThere);
const isLinux = process.platform === 'linux';

describe('an installed package', () => {
  let folder: string;
  let loaded: Record<string, Loaded>;

  // One process for all: it starts slowly.
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hookline-installed-'));
    const old = join(folder, 'old.node');
    if (kernels && isLinux && compiler) compileForOldProcessor(old);
    loaded = loadInstalled(folder, {
      ...WITHOUT_A_BINARY,
      ...(kernels && isLinux && withBinary(kernels.file)),
      ...(kernels && isLinux && compiler && withOldProcessor(old, kernels.file)),
    });
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it.skipIf(!kernels || !isLinux).each([
    ['with its binary', '@hookline/kernels-native-linux-x64-gnu/kernels.node'],
    ['with a binary and a build', '@hookline/kernels-native-linux-x64-gnu/kernels.node'],
    ['with a build', '@hookline/kernels-native/build/linux-x64-gnu/kernels.node'],
    ['with a build for musl', '@hookline/kernels-native/build/linux-x64-musl/kernels.node'],
    [
      'with both C libraries, of which the second fits',
      '@hookline/kernels-native-linux-x64-musl/kernels.node',
    ],
  ])('%s loads it', (name, file) => {
    expect(loaded[name]).toEqual({
      file: expect.stringMatching(new RegExp(`${file}$`)),
      instructions: kernels!.instructions,
    });
  });

  it.each(['with nothing', 'with binaries of other systems', 'on another processor', 'on another system'])(
    '%s has no kernels, and says nothing',
    (name) => {
      expect(loaded[name]).toEqual({});
    },
  );

  it
    .skipIf(!kernels || !isLinux || !compiler)
    .each(['on a processor without AVX2', 'on such a processor, with both'])(
    '%s has no kernels, and says nothing: the addon exports nothing',
    (name) => {
      expect(loaded[name]).toEqual({});
      expect(Object.keys(createRequire(import.meta.url)(join(folder, 'old.node')))).toEqual([]);
    },
  );

  it.each([
    ['with a damaged binary', 'linux-x64-gnu'],
    ['with two damaged binaries', 'linux-x64-gnu'],
    ['on macOS, with a damaged binary', 'darwin-x64'],
    ['on Windows, with a damaged binary', 'win32-x64'],
  ])('%s is an error that says which, and what to do', (name, platform) => {
    const { code, message } = loaded[name]!;
    expect(code).toBe('BAD_BINARY');
    expect(message).toMatch(
      new RegExp(`kernels-native-${platform}[\\\\/]kernels\\.node cannot be loaded: .+`),
    );
    expect(message).toContain('Install @hookline/kernels-native again; training continues without it.');
    expect(message).not.toContain('\n');
  });
});

if (!compiler)
  console.log('an addon for an old processor is not tested: there is no C compiler for x64 here');

const WITHOUT_A_BINARY: Record<string, Installed> = {
  'with nothing': {},
  'with binaries of other systems': { packages: { 'darwin-x64': BROKEN, 'win32-x64': BROKEN } },
  'on another processor': { packages: { 'linux-x64-gnu': BROKEN }, arch: 'arm64' },
  'on another system': { packages: { 'linux-x64-gnu': BROKEN }, platform: 'freebsd' },
  'with a damaged binary': { packages: { 'linux-x64-gnu': BROKEN } },
  'with two damaged binaries': { packages: { 'linux-x64-gnu': BROKEN, 'linux-x64-musl': OTHER_SYSTEM } },
  'on macOS, with a damaged binary': { packages: { 'darwin-x64': BROKEN }, platform: 'darwin' },
  'on Windows, with a damaged binary': { packages: { 'win32-x64': BROKEN }, platform: 'win32' },
};

const withBinary = (file: string): Record<string, Installed> => ({
  'with its binary': { packages: { 'linux-x64-gnu': file } },
  'with a binary and a build': { packages: { 'linux-x64-gnu': file }, built: { 'linux-x64-gnu': file } },
  'with a build': { built: { 'linux-x64-gnu': file } },
  'with a build for musl': { built: { 'linux-x64-musl': file } },
  'with both C libraries, of which the second fits': {
    packages: { 'linux-x64-gnu': OTHER_SYSTEM, 'linux-x64-musl': file },
  },
});

const withOldProcessor = (old: string, file: string): Record<string, Installed> => ({
  'on a processor without AVX2': { packages: { 'linux-x64-gnu': old } },
  'on such a processor, with both': { packages: { 'linux-x64-gnu': old, 'linux-x64-musl': file } },
});

function isThere(command: string): boolean {
  return spawnSync(command, ['--version']).status === 0;
}

/** The addon as it is, but what tells processors apart finds nothing; the kernels themselves are then not needed. */
function compileForOldProcessor(file: string): void {
  const home = fileURLToPath(new URL('..', import.meta.url));
  const { include_dir: headers } = createRequire(import.meta.url)('node-api-headers');
  const sources = readdirSync(join(home, 'native'))
    .filter((each) => each.endsWith('.c') && !['avx2.c', 'avx512.c', 'cpu.c'].includes(each))
    .map((each) => join(home, 'native', each));
  const { status, stderr } = spawnSync(
    compiler || '',
    [
      ...['-std=gnu11', '-shared', '-fPIC', '-O0', '-DNAPI_VERSION=8', `-I${headers}`, `-I${home}native`],
      ...[...sources, join(home, 'proof', 'no-instructions.c'), '-o', file],
    ],
    { encoding: 'utf8' },
  );
  expect(status, stderr).toBe(0);
}

import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PLATFORMS } from '../src/platform.js';

const home = fileURLToPath(new URL('..', import.meta.url));

// The commands of these scripts are for a shell.
describe.skipIf(process.platform === 'win32')('the scripts that build', () => {
  let folder: string;
  let log: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hookline-build-'));
    log = join(folder, 'log');
    for (const part of ['native', 'scripts'])
      cpSync(join(home, part), join(folder, part), { recursive: true });
    symlinkSync(join(home, 'node_modules'), join(folder, 'node_modules'));
    mkdirSync(join(folder, 'bin'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** A command that writes down its arguments, and makes the file behind `-o`. */
  function compiler(name: string, body = ''): string {
    const file = join(folder, 'bin', name);
    writeFileSync(
      file,
      `#!/bin/sh
printf '%s\\n' "$*" >> '${log}'
${body}
while [ $# -gt 0 ]; do
  if [ "$1" = -o ]; then echo made > "$2"; fi
  shift
done
`,
    );
    chmodSync(file, 0o755);
    return file;
  }

  const commands = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);

  const run = (script: string, args: string[] = [], { before = '', env = {} } = {}) => {
    const imported = before ? ['--import', `data:text/javascript,${encodeURIComponent(before)}`] : [];
    return spawnSync(process.execPath, [...imported, join(folder, 'scripts', script), ...args], {
      encoding: 'utf8',
      env: { ...process.env, CC: undefined, ...env },
    });
  };

  const built = (platform: string): string[] => {
    const at = join(folder, 'build', platform);
    return existsSync(at) ? readdirSync(at).sort() : [];
  };

  it('build-all makes a binary for every platform, with its target, and wide instructions only where they belong', () => {
    const zig = compiler('zig');
    const { status, stdout, stderr } = run('build-all.mjs', [zig]);
    expect(status, stderr).toBe(0);
    for (const platform of PLATFORMS) {
      expect(stdout).toContain(`built for ${platform}`);
      expect(built(platform)).toEqual(['kernels.node', 'sources']);
    }
    const linked = commands().filter((each) => each.includes('-shared'));
    const targetOf = (command: string) => /-target (\S+)/.exec(command)?.[1];
    expect(linked.map(targetOf)).toEqual([
      'x86_64-linux-gnu.2.28',
      'x86_64-linux-musl',
      'x86_64-macos',
      'x86_64-windows-gnu',
    ]);
    // A DLL has to name where its functions come from, before it is linked.
    const dlltool = commands().findIndex((each) => each.startsWith('dlltool'));
    expect(dlltool).toBeGreaterThan(0);
    expect(commands()[dlltool + 1]).toMatch(/-target x86_64-windows-gnu .*node\.lib/);

    // The compiler may never fuse on its own, and wide instructions are only in their own files.
    const compiled = commands().filter((each) => each.includes(' -c '));
    const sources = readdirSync(join(home, 'native')).filter((file) => file.endsWith('.c'));
    expect(compiled).toHaveLength(sources.length * PLATFORMS.length);
    for (const command of compiled) {
      expect(command).toContain('-ffp-contract=off');
      expect(command).not.toMatch(/-ffast-math|-march|-Ofast/);
      const wide = [...command.matchAll(/-m(avx2|avx512f|fma)\b/g)].map(([, name]) => name);
      const file = /native\/(\S+)\.c/.exec(command)?.[1];
      const allowed = { avx2: ['avx2', 'fma'], avx512: ['avx512f', 'avx2', 'fma'] }[file!] ?? [];
      expect(wide, file).toEqual(allowed);
    }
  });

  it('compile again when a source or the compiler has changed, and not otherwise', () => {
    const cc = compiler('cc');
    const build = () => {
      const before = commands().length;
      const program = `await import(${JSON.stringify(join(folder, 'scripts', 'build.mjs'))})
        .then(({ buildAddon }) => buildAddon('linux-x64-gnu', [process.argv[1]]))`;
      const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program, cc], {
        encoding: 'utf8',
      });
      expect(status, stderr).toBe(0);
      return commands().length - before;
    };
    const all = build();
    expect(all).toBeGreaterThan(10);
    expect(build()).toBe(0);
    appendFileSync(join(folder, 'native', 'vector.h'), '// changed\n');
    expect(build()).toBe(all);
    rmSync(join(folder, 'build', 'linux-x64-gnu', 'kernels.node'));
    expect(build()).toBe(all);
  });

  it('prepare builds with the compiler of CC', () => {
    const { status, stdout, stderr } = run('prepare.mjs', [], {
      before: ON_LINUX,
      env: { CC: compiler('mycc') },
    });
    expect([status, stdout, stderr]).toEqual([0, '', '']);
    expect(built('linux-x64-gnu')).toEqual(['kernels.node', 'sources']);
  });

  it('prepare takes the next compiler where CC is none', () => {
    compiler('gcc');
    const PATH = [join(folder, 'bin'), '/nowhere'].join(delimiter);
    const { status, stdout } = run('prepare.mjs', [], { before: ON_LINUX, env: { CC: '/nowhere/cc', PATH } });
    expect([status, stdout]).toEqual([0, '']);
    expect(built('linux-x64-gnu')).toEqual(['kernels.node', 'sources']);
  });

  it('prepare says in one line that there is no compiler, and the install goes on', () => {
    const { status, stdout, stderr } = run('prepare.mjs', [], {
      before: ON_LINUX,
      env: { PATH: '/nowhere' },
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      'kernels-native: not built, because there is no C compiler; training uses WebAssembly\n',
    );
    expect(built('linux-x64-gnu')).toEqual([]);
  });

  it('prepare says in one line why a compiler failed, leaves the old binary, and the install goes on', () => {
    run('prepare.mjs', [], { before: ON_LINUX, env: { CC: compiler('good') } });
    const old = readFileSync(join(folder, 'build', 'linux-x64-gnu', 'sources'), 'utf8');
    const CC = compiler('bad', 'if [ "$1" != --version ]; then echo "no such header" >&2; exit 1; fi');
    const { status, stdout, stderr } = run('prepare.mjs', [], { before: ON_LINUX, env: { CC } });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^kernels-native: not built, training uses WebAssembly: .*no such header.*\n$/);
    expect(built('linux-x64-gnu')).toEqual(['kernels.node', 'sources']);
    expect(readFileSync(join(folder, 'build', 'linux-x64-gnu', 'sources'), 'utf8')).toBe(old);
  });

  it.each([
    ['darwin', 'x64'],
    ['linux', 'arm64'],
    ['win32', 'x64'],
  ])('prepare says in one line that it does not build on %s %s', (platform, arch) => {
    const { status, stdout } = run('prepare.mjs', [], {
      before: on(platform, arch),
      env: { CC: compiler('cc') },
    });
    expect(status).toBe(0);
    expect(stdout).toBe(`kernels-native: not built on ${platform} ${arch}; training uses WebAssembly\n`);
    expect(commands()).toEqual([]);
  });

  it('prove says that it proves nothing where there is no compiler', () => {
    const { status, stdout } = run('prove.mjs', [], { before: ON_LINUX, env: { PATH: '/nowhere' } });
    expect(status).toBe(0);
    expect(stdout).toContain('not proven in C');
  });
});

const on = (platform: string, arch: string): string =>
  `for (const [key, value] of [['platform', '${platform}'], ['arch', '${arch}']])
    Object.defineProperty(process, key, { value });`;
const ON_LINUX = on('linux', 'x64');

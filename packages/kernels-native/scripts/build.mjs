import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = join(folder, 'native');
const headers = createRequire(import.meta.url)('node-api-headers').include_dir;

// Contraction is off: what is not written as a fused operation must not become one, or the bits would differ.
const FLAGS = [
  '-std=gnu11',
  '-O3',
  '-ffp-contract=off',
  '-fno-math-errno',
  '-fPIC',
  '-fvisibility=hidden',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-DNAPI_VERSION=8',
  `-I${headers}`,
];

/** Each file with the flags of its instructions; the others must run on every processor. */
const FILES = {
  'avx2.c': ['-mavx2', '-mfma'],
  'avx512.c': ['-mavx512f', '-mavx2', '-mfma'],
  'addon.c': [],
  'call.c': [],
  'cpu.c': [],
  'entries.c': [],
  'entries-attention.c': [],
  'entries-elementwise.c': [],
  'entries-images.c': [],
  'entries-norm.c': [],
  'entries-products.c': [],
  'entries-recurrent.c': [],
  'entries-statistics.c': [],
  'scratch.c': [],
};

/** What `zig cc` is told, and what is linked, for each platform. */
export const TARGETS = {
  'linux-x64-gnu': { zig: 'x86_64-linux-gnu.2.28', link: ['-shared', '-s'] },
  'linux-x64-musl': { zig: 'x86_64-linux-musl', link: ['-shared', '-s'] },
  // Node provides the functions of Node-API when it loads the addon.
  'darwin-x64': { zig: 'x86_64-macos', link: ['-shared', '-s', '-Wl,-undefined,dynamic_lookup'] },
  'win32-x64': { zig: 'x86_64-windows-gnu', link: ['-shared', '-s'] },
};

/**
 * Compiles the addon for a platform into build/<platform>/kernels.node, unless it is there and the sources have not
 * changed since. `compiler` is a command with its first arguments, such as ['gcc'] or ['zig', 'cc'].
 * @param {string} platform
 * @param {string[]} compiler
 */
export async function buildAddon(platform, compiler) {
  const to = join(folder, 'build', platform);
  const mark = join(to, 'sources');
  const fingerprint = fingerprintOf(compiler);
  if (existsSync(join(to, 'kernels.node')) && existsSync(mark) && readFileSync(mark, 'utf8') === fingerprint)
    return;
  mkdirSync(to, { recursive: true });
  const room = mkdtempSync(join(to, 'compiling-'));
  try {
    const target = TARGETS[/** @type {keyof typeof TARGETS} */ (platform)];
    const first = compiler[0]?.endsWith('zig') ? [...compiler, '-target', target.zig] : compiler;
    const objects = await Promise.all(
      Object.entries(FILES).map(([file, flags]) => compile(first, join(sources, file), flags, room)),
    );
    const made = join(room, 'kernels.node');
    await run(first, [...target.link, ...objects, ...(await librariesOf(platform, first, room)), '-o', made]);
    renameSync(made, join(to, 'kernels.node'));
    writeFileSync(mark, fingerprint);
  } finally {
    rmSync(room, { recursive: true, force: true });
  }
}

/** The programs of proof/, and the source that each includes in a form of its own. */
const PROOFS = {
  'detection.c': 'cpu.c',
  'checked-arguments.c': undefined,
  'room-to-pack.c': 'scratch.c',
  'fuzz.c': undefined,
};

/**
 * The programs that prove what cannot be seen from JavaScript, with the sanitizers of the compiler. They need no Node.
 * @param {string[]} compiler
 * @param {string} out
 */
export async function buildProofs(compiler, out) {
  const sanitize = ['-g', '-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
  const room = mkdtempSync(join(out, 'compiling-'));
  const objects = await Promise.all(
    Object.entries(FILES)
      .filter(([file]) => file !== 'addon.c')
      .map(async ([file, flags]) => ({
        file,
        object: await compile(compiler, join(sources, file), [...flags, ...sanitize], room),
      })),
  );
  const programs = [];
  for (const [file, included] of Object.entries(PROOFS)) {
    const flags = [`-I${sources}`, ...sanitize];
    const own = await compile(
      compiler,
      join(folder, 'proof', file),
      flags,
      mkdtempSync(join(room, 'proof-')),
    );
    const others = objects.filter((each) => each.file !== included).map(({ object }) => object);
    programs.push(join(out, file.replace(/\.c$/, '')));
    await run(compiler, [...sanitize, own, ...others, '-o', programs.at(-1) ?? '']);
  }
  return programs;
}

/**
 * A C compiler of this machine, or undefined.
 * @returns {Promise<string[] | undefined>}
 */
export async function findCompiler() {
  for (const command of [process.env.CC, 'cc', 'gcc', 'clang'].filter((each) => each !== undefined)) {
    try {
      await run([command], ['--version']);
      return [command];
    } catch {
      // The next one.
    }
  }
  return undefined;
}

/**
 * @param {string[]} compiler
 * @param {string} file
 * @param {string[]} flags
 * @param {string} room
 */
async function compile(compiler, file, flags, room) {
  const object = join(room, basename(file).replace(/\.c$/, '.o'));
  await run(compiler, [...FLAGS, ...flags, '-c', file, '-o', object]);
  return object;
}

/**
 * A DLL must name where each function comes from: a list of those of Node-API, made into a library.
 * @param {string} platform
 * @param {string[]} compiler
 * @param {string} room
 */
async function librariesOf(platform, compiler, room) {
  if (platform !== 'win32-x64') return [];
  const { symbols } = createRequire(import.meta.url)('node-api-headers');
  const names = [...symbols.v8.js_native_api_symbols, ...symbols.v8.node_api_symbols];
  writeFileSync(join(room, 'node.def'), `NAME node.exe\nEXPORTS\n${names.join('\n')}\n`);
  await run(
    [/** @type {string} */ (compiler[0])],
    ['dlltool', '-m', 'i386:x86-64', '-d', join(room, 'node.def'), '-l', join(room, 'node.lib')],
  );
  return [join(room, 'node.lib')];
}

/** @param {string[]} compiler */
function fingerprintOf(compiler) {
  const hash = createHash('sha256').update(JSON.stringify([FLAGS, FILES, TARGETS, compiler, process.arch]));
  for (const name of readdirSync(sources).sort()) hash.update(name).update(readFileSync(join(sources, name)));
  return hash.digest('hex');
}

/**
 * @param {string[]} command
 * @param {string[]} args
 */
function run([program, ...first], args) {
  return promisify(execFile)(/** @type {string} */ (program), [...first, ...args], { maxBuffer: 2 ** 24 });
}

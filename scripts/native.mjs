import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root, run, tool } from './process.mjs';

const PACKAGES = ['tfjs-node', 'tfjs-node-gpu'];
const VERSION = '4.22.0';

/** Outside of what git and the workspace know: the install script of these packages downloads, and fails without. */
const folder = join(root, 'node_modules', '.cache', 'hookline-native');

/**
 * Builds the real tfjs-node and tfjs-node-gpu, as `hookline doctor --fix` does for people, and runs the tests that depend on
 * the backend on each of them.
 * @param {string[]} args Passed to vitest.
 */
export async function native(args) {
  const missing = await prepare();
  if (missing) {
    console.log(`native: not available here (${missing})`);
    return;
  }
  for (const name of PACKAGES) await testOn(name, args);
}

/** @returns {Promise<string | undefined>} Why it cannot be had on this machine. */
async function prepare() {
  if (process.platform !== 'linux') return 'the addon is built on Linux only';
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "hookline-native", "private": true }\n');
  const names = PACKAGES.map((name) => `@tensorflow/${name}`);
  if (!names.every((name) => existsSync(join(folder, 'node_modules', name, 'package.json')))) {
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund'];
    await npm(['install', ...flags, ...names.map((name) => `${name}@${VERSION}`)], { cwd: folder });
  }
  const hookline = join(root, 'packages', 'trainer', 'dist', 'cli.js');
  try {
    await run(process.execPath, [hookline, 'doctor', '--fix', '--yes', '--root', folder], {
      name: 'hookline doctor',
    });
  } catch (error) {
    // A machine without Python's index or a compiler is not our fault; a build that fails is.
    const library = join(folder, 'node_modules', '.cache', 'hookline', 'tensorflow-cpu', 'tensorflow');
    const hasCompiler = await run('c++', ['--version'], { capture: true }).then(
      () => true,
      () => false,
    );
    if (process.env.HOOKLINE_LIBTENSORFLOW || (existsSync(library) && hasCompiler)) throw error;
    return existsSync(library) ? 'there is no C++ compiler' : 'pip does not give the wheel tensorflow-cpu';
  }
  return undefined;
}

/**
 * @param {string} backend
 * @param {string[]} args
 */
async function testOn(backend, args) {
  console.log(`\n[native] tests on ${backend}`);
  const env = {
    HOOKLINE_TEST_BACKEND: backend,
    HOOKLINE_TEST_PROJECT: folder,
    TF_CPP_MIN_LOG_LEVEL: '2',
  };
  await tool('vitest', ['run', '--config', 'vitest.backend.config.ts', '--reporter=dot', ...args], { env });
}

import { join } from 'node:path';
import { checkArchitecture } from './check-architecture.mjs';
import { checkChangesets } from './check-changesets.mjs';
import { checkCommits } from './check-commits.mjs';
import { checkPackages } from './check-packages.mjs';
import { checkTarballs } from './check-tarballs.mjs';
import { native } from './native.mjs';
import { nodeVersions } from './node-versions.mjs';
import { packedTest } from './packed-test.mjs';
import { npm, root, run, tool } from './process.mjs';
import { publishCheck } from './publish-check.mjs';
import { release } from './release.mjs';
import { setup } from './setup.mjs';
import { test } from './test.mjs';
import { webgpu } from './webgpu.mjs';

/**
 * @typedef {object} Task
 * @property {string} does Printed when it starts.
 * @property {(args: string[]) => Promise<unknown>} run
 */

/**
 * What `npm run check` and CI run, in this order.
 * @type {Record<string, Task>}
 */
export const checks = {
  test: { does: 'tests of every package, from the sources (vitest)', run: test },
  lint: { does: 'formatting and lint rules (biome)', run: (args) => biome('--error-on-warnings', args) },
  typecheck: { does: 'types of every package, of the scripts and of the root (turbo, tsc)', run: typecheck },
  knip: { does: 'unused files, exports and dependencies (knip)', run: (args) => tool('knip', args) },
  packages: { does: 'every package has the same shape', run: checkPackages },
  architecture: { does: 'no import cycles, no import against the arrows', run: checkArchitecture },
  docs: { does: 'the documentation site, and that no link or image in it is broken (VitePress)', run: docs },
  changesets: { does: 'every changed package has a changeset', run: checkChangesets },
  commits: { does: 'subjects of commits have at most 72 characters', run: checkCommits },
  build: { does: 'dist of every package (turbo, tsup, tsc)', run: build },
  tarballs: { does: 'what would be published (publint, attw)', run: checkTarballs },
  packed: {
    does: 'projects outside the workspace train with the tarballs, installed by npm and by Yarn',
    run: packedTest,
  },
  'publish-check': {
    does: 'published to a registry on this machine: installed by name, a new hook made, published and used',
    run: built(publishCheck),
  },
  'node-versions': { does: 'training gives the same bits under Node 20 to 26', run: built(nodeVersions) },
  browser: {
    does: 'training in Chromium: bits of Node, hooks, checkpoints after kills, sizes, bundlers, workers; the dashboard; Firefox',
    run: browser,
  },
  kernels: {
    does: 'native kernels: every test of the wasm backend with them, and random arguments under AddressSanitizer',
    run: kernels,
  },
  native: {
    does: 'the real tfjs-node and tfjs-node-gpu, built from npm and PyPI: tests of what depends on the backend',
    run: async (args) => {
      await build(['--filter=@hookline/trainer...']);
      await native(args);
    },
  },
  webgpu: { does: 'WebGPU in Node: every model of the zoo trains as on cpu', run: webgpu },
  start: { does: 'examples/digits: train on real digits with hooks found in its dependencies', run: start },
  transformer: {
    does: 'examples/transformer: train a tiny transformer and find its induction head',
    run: transformer,
  },
  proof: {
    does: 'promises that take minutes to test: crashes, exact resume, sweeps (vitest)',
    run: (args) => tool('vitest', ['run', '--config', 'vitest.proof.config.ts', ...args]),
  },
  distributed: {
    does: 'training in several processes over MPI: the same bits, killed and stopped ranks, a network (vitest)',
    run: distributed,
  },
  python: {
    does: 'numbers and files judged by torch, Keras, scikit-learn and TensorBoard, where Python has them',
    run: python,
  },
};

/** @type {Record<string, Task>} */
export const tasks = {
  ...checks,
  format: { does: 'fix what biome can fix', run: (args) => biome('--write', args) },
  versions: { does: 'new versions and changelogs from the changesets', run: raiseVersions },
  release: { does: 'publish what the registry does not have', run: (args) => release(() => build([]), args) },
  'browser-example': {
    does: 'examples/browser: train on digits in a tab of your browser',
    run: exampleBrowser,
  },
  bench: { does: 'benchmarks against their budgets', run: bench },
};

async function raiseVersions() {
  await tool('changeset', ['version']);
  await setup(['--no-frozen-lockfile']);
}

/** @param {() => Promise<unknown>} work */
function built(work) {
  return async () => {
    await build([]);
    await work();
  };
}

async function browser() {
  await build(['--filter=@hookline/browser-check^...', '--filter=@hookline/example-browser^...']);
  for (const check of [
    'run.mjs',
    'files.mjs',
    'readme.mjs',
    'trainer.mjs',
    'webgpu.mjs',
    'dashboard.mjs',
    'workers.mjs',
    'example.mjs',
    'firefox.mjs',
  ]) {
    await run(process.execPath, [join(root, 'browser-check', check)], { name: 'browser-check' });
  }
}

/** @param {string[]} args Rounds and seed of the random arguments. */
async function kernels(args) {
  const env = { HOOKLINE_WASM_NATIVE: '1', HOOKLINE_EVERY_CASE: '1' };
  await tool('vitest', ['run', 'packages/backend-wasm/test', 'packages/kernels-native/test'], { env });
  const prove = join(root, 'packages', 'kernels-native', 'scripts', 'prove.mjs');
  await run(process.execPath, [prove, ...(args.length > 0 ? args : ['1000'])], { name: 'the proofs in C' });
}

/** @param {string[]} args */
function docs(args) {
  return run(process.execPath, [join(root, 'site', 'run.mjs'), ...args], { name: 'the site' });
}

/** @param {string[]} args */
async function start(args) {
  await build([]);
  await npm(['start', '--', ...args], { cwd: join(root, 'examples', 'digits') });
}

/** @param {string[]} args */
async function transformer(args) {
  await build([]);
  await npm(['start', '--', ...args], { cwd: join(root, 'examples', 'transformer') });
}

/** @param {string[]} args */
function distributed(args) {
  const config = ['--config', 'vitest.distributed.config.ts'];
  return tool('vitest', ['run', ...config, ...args]);
}

/** @param {string[]} args */
async function exampleBrowser(args) {
  await build([]);
  await npm(['start', '--', ...args], { cwd: join(root, 'examples', 'browser') });
}

/** @param {string[]} args */
function python(args) {
  return run(process.execPath, [join(root, 'python-check', 'run.mjs'), ...args]);
}

/** @param {string[]} args */
async function bench(args) {
  await build([]);
  await npm(['run', 'bench', '--', ...args], { cwd: join(root, 'benchmarks') });
}

/** @param {string[]} args */
function build(args) {
  return turbo('build', args);
}

/** @param {string[]} args */
async function typecheck(args) {
  await turbo('typecheck', ['--continue', ...args]);
  await tool('tsc', ['--noEmit', '-p', '.']);
  await tool('tsc', ['--noEmit', '-p', 'scripts']);
}

/**
 * @param {string} task
 * @param {string[]} args
 */
function turbo(task, args) {
  return tool('turbo', ['run', task, '--output-logs=errors-only', ...args]);
}

/**
 * @param {string} mode
 * @param {string[]} args
 */
function biome(mode, args) {
  return tool('biome', ['check', mode, ...args]);
}

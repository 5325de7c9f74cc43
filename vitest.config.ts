import { readFileSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

// The tests read the packages' sources, so that they need no build.
const conditions = ['@hookline/source', 'module', 'node', 'default'];

const TESTS = [
  '{packages,examples,testing}/*/test/**/*.test.ts',
  'scripts/**/*.test.ts',
  'site/test/**/*.test.ts',
];
const TYPES = ['packages/*/test/**/*.test-d.ts'];
/** These need a process of their own: they start threads, or end what a process has once. */
const ISOLATED = ['packages/backend-wasm/test/**/{threads,shared-memory}.isolated.test.ts'];
/** These change tfjs itself, or need it as it is before anybody has touched it. */
const FRESH = ['packages/tfjs-corrections/test/**/*.test.ts', 'packages/*/test/**/*.isolated.test.ts'];
/** These call enableTraining(), and share what it does to tfjs with each other only. */
const WASM = ['packages/backend-wasm/test/**/*.test.ts'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // They end what hangs, and judge nothing: on a machine with ten times the load every test still has time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // vitest keeps one core free: half of a small machine.
    maxWorkers: availableParallelism(),
    env: {
      // The scripts of package managers set it, and it would find packages that a test's project does not have.
      NODE_PATH: '',
      TMPDIR: process.env.TMPDIR ?? memoryFolder() ?? tmpdir(),
      // The same kernels everywhere, whether or not the machine has a compiler. `npm run kernels` runs them natively.
      HOOKLINE_WASM_NATIVE: process.env.HOOKLINE_WASM_NATIVE ?? '0',
    },
    projects: [
      {
        extends: true,
        plugins: [requiredTfjs()],
        test: {
          name: 'tests',
          include: TESTS,
          exclude: ['**/node_modules/**', ...FRESH, ...WASM],
          server: { deps: { inline: [/required:/] } },
          // Files share a process, and with it the one tfjs: importing it for each file took a third of the time.
          isolate: false,
          setupFiles: ['testing/support/src/leave-as-found.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'types',
          include: [],
          typecheck: { enabled: true, include: TYPES, tsconfig: './tsconfig.json' },
        },
      },
      {
        extends: true,
        plugins: [requiredTfjs()],
        test: {
          name: 'wasm',
          include: WASM,
          exclude: ['**/node_modules/**', ...FRESH],
          server: { deps: { inline: [/required:/] } },
          isolate: false,
          setupFiles: ['testing/support/src/leave-as-found.ts'],
        },
      },
      {
        extends: true,
        plugins: [requiredTfjs()],
        test: {
          name: 'fresh',
          include: FRESH,
          exclude: ['**/node_modules/**', ...ISOLATED],
          server: { deps: { inline: [/required:/] } },
          isolate: false,
          setupFiles: ['testing/support/src/fresh-tfjs.ts'],
        },
      },
      {
        extends: true,
        plugins: [requiredTfjs()],
        test: { name: 'isolated', include: ISOLATED, server: { deps: { inline: [/required:/] } } },
      },
    ],
  },
});

/**
 * Where tests write, on Linux: tests that save spent half of their time waiting for the disk. A container's may be too
 * small, or may not let programs run. Proofs, which are about crashes, write to the disk.
 */
function memoryFolder(): string | undefined {
  const folder = '/dev/shm';
  try {
    const { bsize, bavail } = statfsSync(folder);
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const options = mounts.find((line) => line.split(' ')[1] === folder)?.split(' ')[3] ?? 'noexec';
    return bsize * bavail > 2 ** 30 && !options.split(',').includes('noexec') ? folder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * tfjs by `require`: where a module imports CommonJS, Node searches its text for the names that it exports, which takes
 * three times as long as running it, in each process. And vitest puts a proxy around what it imports that way, which
 * every operation of every step would go through.
 */
function requiredTfjs(): NonNullable<ViteUserConfig['plugins']>[number] {
  const PREFIX = '\0required:';
  return {
    name: 'required-tfjs',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!/^@tensorflow\/[^/]+$/.test(source) || !importer?.startsWith(import.meta.dirname))
        return undefined;
      return PREFIX + createRequire(importer).resolve(source);
    },
    load(id) {
      if (!id.startsWith(PREFIX)) return undefined;
      const file = id.slice(PREFIX.length);
      const names = Object.keys(createRequire(join(import.meta.dirname, 'package.json'))(file));
      const exported = names.filter((name) => name !== 'default').join(', ');
      return `import { createRequire } from 'node:module';
        export const { ${exported} } = createRequire(import.meta.url)(${JSON.stringify(file)});`;
    },
  };
}

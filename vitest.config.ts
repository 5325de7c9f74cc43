import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// The tests read the packages' sources, so that they need no build.
const conditions = ['@hookline/source', 'module', 'node', 'default'];

const TESTS = ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts', 'scripts/**/*.test.ts'];
const WASM = ['packages/backend-wasm/test/**/*.test.ts'];
const CORRECTIONS = ['packages/tfjs-corrections/test/**/*.test.ts'];
const TYPES = ['packages/*/test/**/*.test-d.ts'];
const ISOLATED = ['packages/*/test/**/*.isolated.test.ts'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    testTimeout: 60_000,
    // vitest keeps one core free: half of a small machine.
    maxWorkers: availableParallelism(),
    projects: [
      shared('tests', TESTS, [...WASM, ...CORRECTIONS]),
      // These change tfjs itself, each in its own way.
      shared('wasm', WASM),
      shared('corrections', CORRECTIONS),
      {
        extends: true,
        test: {
          name: 'types',
          include: [],
          typecheck: { enabled: true, include: TYPES, tsconfig: './tsconfig.json' },
        },
      },
      // These need tfjs as it is before anybody has touched it.
      { extends: true, test: { name: 'isolated', include: ISOLATED } },
    ],
  },
});

/** Files that share a process, and with it the one tfjs: importing it for each file took a third of the time. */
function shared(name: string, include: string[], others: string[] = []) {
  const exclude = ['**/node_modules/**', ...others, ...ISOLATED];
  return { extends: true as const, test: { name, include, exclude, isolate: false } };
}

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// The tests read the packages' sources, so that they need no build.
const conditions = ['@hookline/source', 'module', 'node', 'default'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts', 'scripts/**/*.test.ts'],
    typecheck: { enabled: true, include: ['packages/*/test/**/*.test-d.ts'], tsconfig: './tsconfig.json' },
    testTimeout: 30_000,
    // vitest keeps one core free: half of a small machine.
    maxWorkers: availableParallelism(),
  },
});

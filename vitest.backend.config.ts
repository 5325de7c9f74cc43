import { defineConfig } from 'vitest/config';
import tests from './vitest.config.js';

// `npm run native` and `npm run webgpu`: what trains, on the backend that HOOKLINE_TEST_BACKEND names. Left out is what would only
// say again what `npm test` has said: the command line, config files, the search for hooks, the choice of a backend, and tests
// that start programs, which load their own, or look at a terminal.
const ON_WEBGPU = [
  'packages/trainer/test/backends/{zoo,promises,on-webgpu}.test.ts',
  'packages/hook-debug/test/on-webgpu.test.ts',
];
const ON_NATIVE = [
  'packages/trainer/test/backends/{zoo,promises,on-native}.test.ts',
  'packages/trainer/test/{data,hooks,loop,lr-find,model,objective,optimizers,resume,run,strategies,tfjs-corrections}/**/*.test.ts',
  'packages/hook-{activations,checkpoint,debug,early-stopping,gradient-monitor,lr-monitor}/test/**/*.test.ts',
  'packages/hook-{logging,notify,report}/test/**/*.test.ts',
  'packages/layer-taps/test/**/*.test.ts',
  'packages/tfjs-corrections/test/gradients/**/*.test.ts',
  'examples/{digits,recipes,transformer}/test/**/*.test.ts',
];

export default defineConfig({
  resolve: tests.resolve ?? {},
  ssr: tests.ssr ?? {},
  test: {
    include: process.env.HOOKLINE_TEST_BACKEND === 'webgpu' ? ON_WEBGPU : ON_NATIVE,
    exclude: ['**/node_modules/**', '**/*.isolated.test.ts', '**/process-ends.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: tests.test?.maxWorkers ?? 1,
    env: { ...tests.test?.env, HOOKLINE_EVERY_CASE: '1' },
    isolate: false,
    setupFiles: ['testing/runs/src/use-test-backend.ts', 'testing/support/src/leave-as-found.ts'],
  },
});

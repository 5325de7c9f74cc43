import { defineConfig } from 'vitest/config';
import tests from './vitest.config.js';

// `npm run native` and `npm run webgpu`: what depends on the backend, on the one that HOOKLINE_TEST_BACKEND names. Everything
// else would only say again what `npm test` has said.
const ON_WEBGPU = [
  'packages/trainer/test/backends/{zoo,on-webgpu}.test.ts',
  'packages/hook-debug/test/on-webgpu.test.ts',
];
const ON_NATIVE = [
  'packages/trainer/test/backends/{zoo,on-native}.test.ts',
  'packages/trainer/test/{data,loop,model,objective,optimizers,resume,run,tfjs-corrections}/**/*.test.ts',
  'packages/hook-{activations,checkpoint,debug,early-stopping,gradient-monitor,lr-monitor}/test/**/*.test.ts',
  'packages/layer-taps/test/**/*.test.ts',
  'packages/tfjs-corrections/test/gradients/**/*.test.ts',
  'examples/{recipes,transformer}/test/**/*.test.ts',
];

export default defineConfig({
  resolve: tests.resolve ?? {},
  ssr: tests.ssr ?? {},
  test: {
    include: process.env.HOOKLINE_TEST_BACKEND === 'webgpu' ? ON_WEBGPU : ON_NATIVE,
    exclude: ['**/node_modules/**', '**/*.isolated.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: tests.test?.maxWorkers ?? 1,
    env: tests.test?.env ?? {},
    isolate: false,
    setupFiles: ['testing/runs/src/use-test-backend.ts', 'testing/support/src/leave-as-found.ts'],
  },
});

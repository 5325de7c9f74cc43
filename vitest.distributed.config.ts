import { defineConfig } from 'vitest/config';
import tests from './vitest.config.js';

// Proofs that need an MPI on this machine: npm run distributed.
export default defineConfig({
  resolve: tests.resolve ?? {},
  ssr: tests.ssr ?? {},
  test: {
    include: ['packages/*/proof/*.distributed.ts'],
    testTimeout: 600_000,
    // Each of them has several processes already.
    maxWorkers: 1,
  },
});

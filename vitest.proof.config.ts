import { defineConfig } from 'vitest/config';
import tests from './vitest.config.js';

// Proofs are tests that take minutes: many processes, many steps, every combination.
export default defineConfig({
  resolve: tests.resolve ?? {},
  ssr: tests.ssr ?? {},
  test: {
    include: ['packages/*/proof/**/*.proof.ts'],
    testTimeout: 600_000,
    maxWorkers: tests.test?.maxWorkers ?? 1,
  },
});

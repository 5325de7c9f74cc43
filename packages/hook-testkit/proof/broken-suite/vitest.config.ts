import { defineConfig } from 'vitest/config';
import tests from '../../../../vitest.config.js';

export default defineConfig({
  root: import.meta.dirname,
  resolve: tests.resolve ?? {},
  ssr: tests.ssr ?? {},
  test: { include: ['*.suite.ts'] },
});

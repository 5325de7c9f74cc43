import { defineConfig } from 'tsup';

// Declarations come from tsc.
export default defineConfig({
  entry: ['src/index.ts'],
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  clean: true,
});

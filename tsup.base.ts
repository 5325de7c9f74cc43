import type { Options } from 'tsup';

// Declarations come from tsc: tsup cannot make them with TypeScript 7.
const config: Options = {
  entry: ['src/index.ts'],
  format: 'esm',
  target: 'node20',
  platform: 'node',
  dts: false,
  sourcemap: true,
  clean: true,
};

export default config;

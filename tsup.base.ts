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
  // What differs between Node and a browser: chosen by the "imports" of package.json, where the package is used.
  external: ['#host'],
};

export default config;

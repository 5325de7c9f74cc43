import type { Options } from 'tsup';
import { requireTfjs } from './tsup.require-tfjs.js';

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
  // Not left alone, so that the plugin gets to see it.
  noExternal: [/^@tensorflow\//],
  esbuildPlugins: [requireTfjs()],
};

export default config;

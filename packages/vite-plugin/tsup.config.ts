import type { Options } from 'tsup';
import base from '../../tsup.base.js';

const config: Options = {
  ...base,
  entry: ['src/index.ts', 'src/esbuild.ts', 'src/hooks.ts'],
};

export default config;

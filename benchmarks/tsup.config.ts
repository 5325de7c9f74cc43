import type { Options } from 'tsup';
import base from '../tsup.base.js';

const config: Options = {
  ...base,
  entry: [
    'src/main.ts',
    'src/run-benchmark.ts',
    'src/page-readers.ts',
    'src/whole-job-program.ts',
    'src/growth-program.ts',
    'src/cold-start-program.ts',
  ],
  silent: true,
  noExternal: [],
  esbuildPlugins: [],
};

export default config;

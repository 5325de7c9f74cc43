import type { Options } from 'tsup';
import base from '../../tsup.base.js';

// Each trial is a process, started from a file beside the rest.
const config: Options = {
  ...base,
  entry: { index: 'src/index.ts', command: 'src/command.ts', 'trial-program': 'src/trial/trial-program.ts' },
};

export default config;

import type { Options } from 'tsup';
import base from '../../tsup.base.js';

// The thread that owns MPI is started from a file beside the package.
const config: Options = {
  ...base,
  entry: { index: 'src/index.ts', 'mpi-thread': 'src/thread/mpi-thread.ts' },
};

export default config;

import type { Options } from 'tsup';
import base from '../../tsup.base.js';

// The thread that writes is started from a file beside the hook.
const config: Options = {
  ...base,
  entry: { index: 'src/index.ts', 'save-thread': 'src/save/save-thread.ts' },
};

export default config;

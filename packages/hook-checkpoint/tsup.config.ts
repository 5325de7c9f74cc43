import type { Options } from 'tsup';
import base from '../../tsup.base.js';

// The thread that writes is started from a file beside Node's half of the host.
const config: Options = {
  ...base,
  entry: {
    index: 'src/index.ts',
    'host/node': 'src/host/node.ts',
    'host/browser': 'src/host/browser.ts',
    'host/save-thread': 'src/host/save-thread.ts',
  },
};

export default config;

import type { Options } from 'tsup';
import base from '../../tsup.base.js';

const config: Options = {
  ...base,
  entry: {
    index: 'src/index.ts',
    node: 'src/node.ts',
    'host/node': 'src/host/node.ts',
    'host/browser': 'src/host/browser.ts',
  },
};

export default config;

import type { Options } from 'tsup';
import base from '../../tsup.base.js';

// Apart from the contract: the validator of manifests is for programs that load hooks, helpers are for some hooks. Each
// is one file with all it needs, nothing of which is state: three files more take as long to import as the contract.
const config: Options = {
  ...base,
  entry: ['src/index.ts', 'src/helpers.ts', 'src/manifest.ts'],
  splitting: false,
};

export default config;

import type { Options } from 'tsup';
import base from '../../tsup.base.js';

// Files and folders are for Node; the format itself is for browsers, too.
const config: Options = { ...base, entry: ['src/index.ts', 'src/node.ts'] };

export default config;

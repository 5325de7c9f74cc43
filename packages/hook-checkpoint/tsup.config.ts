import type { Options } from 'tsup';
import base from '../../tsup.base.js';

// The thread that writes is a file of its own, which the hook starts.
const config: Options = { ...base, entry: ['src/index.ts', 'src/save-thread.ts'] };

export default config;

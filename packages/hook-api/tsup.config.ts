import type { Options } from 'tsup';
import base from '../../tsup.base.js';

// The validator of manifests is for programs that load hooks, not for hooks.
const config: Options = { ...base, entry: ['src/index.ts', 'src/manifest.ts'] };

export default config;

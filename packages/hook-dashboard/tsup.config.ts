import type { Options } from 'tsup';
import base from '../../tsup.base.js';

const config: Options = { ...base, entry: { index: 'src/index.ts', command: 'src/command.ts' } };

export default config;

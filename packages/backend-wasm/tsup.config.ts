import type { Options } from 'tsup';
import base from '../../tsup.base.js';
import { embedModules } from './scripts/embed-modules.js';

const config: Options = {
  ...base,
  entry: { index: 'src/index.ts', register: 'src/register.ts' },
  platform: 'neutral',
  esbuildPlugins: [...(base.esbuildPlugins ?? []), embedModules],
};

export default config;

import { join } from 'node:path';
import type { Options } from 'tsup';
import base from '../../tsup.base.js';
import { buildTemplate } from './build-template.js';

const config: Options = {
  ...base,
  entry: { index: 'src/index.ts', cli: 'src/cli.ts' },
  onSuccess: async () => buildTemplate(join(import.meta.dirname, 'dist', 'template')),
};

export default config;

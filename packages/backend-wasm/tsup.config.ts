import type { Options } from 'tsup';
import base from '../../tsup.base.js';
import { compiledModule, type Variant } from './scripts/compile.js';

/** In dist the bytes of the modules are in the JavaScript: Node and every bundler find them there. */
const embedModules: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'embed-modules',
  setup(build) {
    build.onLoad({ filter: /src[\\/]module[\\/]embedded-(simd|fma)\.ts$/ }, async ({ path }) => {
      const variant = /embedded-(simd|fma)/.exec(path)![1] as Variant;
      const text = Buffer.from(await compiledModule(variant)).toString('base64');
      const contents = `export const moduleBytes = async () => ${JSON.stringify(text)};`;
      return { contents, loader: 'js' };
    });
  },
};

const config: Options = {
  ...base,
  entry: { index: 'src/index.ts', register: 'src/register.ts' },
  platform: 'neutral',
  esbuildPlugins: [embedModules],
};

export default config;

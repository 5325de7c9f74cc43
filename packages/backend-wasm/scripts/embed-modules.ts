import { compiledModule, type Variant } from './compile.js';

/** The part of esbuild's plugin interface that is used here, whichever version of esbuild runs it. */
export interface EmbedPlugin {
  name: string;
  setup(build: {
    onLoad(
      options: { filter: RegExp },
      load: (file: { path: string }) => Promise<{ contents: string; loader: 'js' }>,
    ): void;
  }): void;
}

/** Puts the bytes of the modules into the JavaScript: Node and every bundler find them there. */
export const embedModules: EmbedPlugin = {
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

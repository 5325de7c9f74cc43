import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as esbuild } from 'esbuild';
import { build as vite } from 'vite';

const entry = fileURLToPath(new URL('src/page.ts', import.meta.url));

/**
 * Bundlers, each as its users run it for production: what they leave out as unused, a page does not have. They read
 * the built packages, as a user's project does.
 * @type {Record<'esbuild' | 'vite', (folder: string) => Promise<unknown>>} Each makes page.js in the folder.
 */
export const bundlers = {
  esbuild: (folder) =>
    esbuild({
      entryPoints: { page: entry },
      outdir: folder,
      bundle: true,
      minify: true,
      splitting: true,
      format: 'esm',
      target: 'es2022',
      logLevel: 'error',
    }).then(({ warnings }) => assertNone(warnings.map(({ text }) => text))),
  vite: (folder) =>
    vite({
      configFile: false,
      root: join(entry, '..'),
      logLevel: 'error',
      build: {
        outDir: folder,
        target: 'es2022',
        rolldownOptions: { input: { page: entry }, output: { entryFileNames: '[name].js' } },
      },
    }),
};

/**
 * A warning says, for one, that an import was left out.
 * @param {string[]} warnings
 */
function assertNone(warnings) {
  if (warnings.length > 0) throw new Error(`esbuild warns: ${warnings.join('; ')}`);
}

import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';
import { hooksModule } from './hooks-module.js';
import { HOOKS_MODULE, type HooklineOptions } from './options.js';

export type { HooklineOptions } from './options.js';

const NAMESPACE = 'hookline';

/**
 * Gives a page the hooks that are installed in its project: `import '@hookline/vite-plugin/hooks'` in the module that trains.
 *
 * @example await build({ entryPoints: ['page.js'], bundle: true, plugins: [hookline()] });
 */
export function hookline(options: HooklineOptions = {}): Plugin {
  return {
    name: 'hookline',
    setup(build) {
      const root = options.root ?? build.initialOptions.absWorkingDir ?? process.cwd();

      build.onResolve({ filter: new RegExp(`^${HOOKS_MODULE}$`) }, ({ path }) => ({
        path,
        namespace: NAMESPACE,
        sideEffects: true,
      }));

      // A hook may try `import('node:fs')` where it can: that fails when it runs, not when it is bundled.
      build.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
        kind === 'dynamic-import' ? { path, external: true } : undefined,
      );

      build.onLoad({ filter: /./, namespace: NAMESPACE }, async () => {
        const { code, warnings, watch } = await hooksModule(
          { ...options, root },
          async (specifier, importer) => {
            const { path, external, namespace } = await build.resolve(specifier, {
              importer,
              resolveDir: dirname(importer),
              kind: 'import-statement',
            });
            return external || namespace !== 'file' || path === '' ? undefined : path;
          },
        );
        return {
          contents: code,
          resolveDir: root,
          watchFiles: watch,
          warnings: warnings.map((text) => ({ text })),
        };
      });
    },
  };
}

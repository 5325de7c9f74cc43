import type { Plugin } from 'vite';
import { hooksModule } from './hooks-module.js';
import { HOOKS_MODULE, type HooklineOptions } from './options.js';

/** As Rollup and Vite mark modules that are not files. */
const RESOLVED = `\0${HOOKS_MODULE}`;

/**
 * Gives a page the hooks that are installed in its project: `import '@hookline/vite-plugin/hooks'` in the module that trains.
 * Works in the development server, in builds and in web workers.
 *
 * @example export default defineConfig({ plugins: [hookline()] });
 */
export function hookline(options: HooklineOptions = {}): Plugin {
  let root = options.root;
  return {
    name: 'hookline',
    enforce: 'pre',

    // Workers have their own plugins, and hooks are imported when they are needed, which the default format cannot.
    config: () => ({
      worker: { format: 'es', plugins: () => [hookline(options)] },
      // Its modules are replaced here: bundled in advance, they would be as they are in Node.
      optimizeDeps: { exclude: [HOOKS_MODULE] },
    }),

    configResolved(config) {
      root ??= config.root;
    },

    resolveId(source) {
      return source === HOOKS_MODULE ? { id: RESOLVED, moduleSideEffects: true } : undefined;
    },

    async load(id) {
      if (id !== RESOLVED) return undefined;
      const { code, warnings, watch } = await hooksModule(
        { ...options, ...(root !== undefined && { root }) },
        async (specifier, importer) => {
          const found = await this.resolve(specifier, importer);
          // Names that are not paths belong to plugins.
          return found && !found.external && /^([a-z]:)?[\\/]/i.test(found.id)
            ? found.id.replace(/\?.*$/, '')
            : undefined;
        },
      );
      for (const file of watch) this.addWatchFile(file);
      for (const warning of warnings) this.warn(warning);
      return { code, moduleSideEffects: true };
    },
  };
}

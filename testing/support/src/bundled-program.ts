import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/**
 * Writes a program, with all sources of this workspace that it imports, into one file of the folder's node_modules and
 * returns its path. Loading hundreds of TypeScript files takes a new process longer than what most tests do in it.
 */
export async function bundledProgram(code: string, folder: string): Promise<string> {
  const outdir = join(folder, 'node_modules', '.hookline');
  mkdirSync(outdir, { recursive: true });
  // The same name in every run, and another for each worker.
  const name = createHash('sha256').update(code).digest('hex').slice(0, 12);
  const outfile = join(outdir, `program-${name}-${process.env.VITEST_POOL_ID}.mjs`);
  await build({
    stdin: { contents: code, resolveDir: folder, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@hookline/source'],
    // A program must not need the test runner.
    external: ['vitest'],
    plugins: [installedPackages, await embedModules()],
    logLevel: 'error',
  });
  return outfile;
}

/** tfjs must be the one of the workspace; pino cannot be bundled. The folder need not have either of them. */
const installedPackages: Plugin = {
  name: 'installed-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^(@tensorflow\/|pino$)/ }, ({ path, resolveDir }) => {
      try {
        const file = createRequire(join(resolveDir, 'importer.js')).resolve(path);
        return { path: pathToFileURL(file).href, external: true };
      } catch {
        return { path, external: true }; // not installed: the program looks for it when it runs
      }
    });
  },
};

// By an address that the compiler does not follow: the types of AssemblyScript would replace those of Node.
async function embedModules(): Promise<Plugin> {
  const file = new URL('../../../packages/backend-wasm/scripts/embed-modules.ts', import.meta.url).href;
  const module = (await import(/* @vite-ignore */ file)) as { embedModules: Plugin };
  return module.embedModules;
}

import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const require = createRequire(import.meta.url);

const bundled = new Map<string, Promise<string>>();

/**
 * Writes a program, given as its code or its file, with all sources of this workspace that it imports, into one file of the folder's node_modules and
 * returns its path. Loading hundreds of TypeScript files takes a new process longer than what most tests do in it. The
 * same program is bundled once.
 */
export function bundledProgram(program: string | URL, folder: string): Promise<string> {
  const code = typeof program === 'string' ? program : `import ${JSON.stringify(fileURLToPath(program))};`;
  const key = `${folder}\n${code}`;
  const file = bundled.get(key) ?? bundle(code, folder);
  bundled.set(key, file);
  return file;
}

async function bundle(code: string, folder: string): Promise<string> {
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
    // Most packages say that their files have no side effects, and a program may be one of their files.
    ignoreAnnotations: true,
    plugins: [installedPackages, await embedModules()],
    logLevel: 'error',
  });
  return outfile;
}

/**
 * tfjs must be the one of the workspace, and pino and koffi cannot be bundled; the folder need not have either of them. They come
 * by `require`: where a program imports CommonJS, Node searches its text for the names that it exports, which takes three
 * times as long as running it.
 */
const installedPackages: Plugin = {
  name: 'installed-packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(@tensorflow\/[^/]+|pino|jiti|koffi)$/ }, ({ path, resolveDir }) => {
      try {
        const file = createRequire(join(resolveDir, 'importer.js')).resolve(path);
        return { path: file, namespace: 'installed', sideEffects: true };
      } catch {
        return { path, external: true }; // not installed: the program looks for it when it runs
      }
    });
    onLoad({ filter: /./, namespace: 'installed' }, ({ path }) => {
      const names = Object.keys(require(path)).filter((name) => name !== 'default');
      const contents = `
        import { createRequire } from 'node:module';
        export const { ${names.join(', ')} } = createRequire(import.meta.url)(${JSON.stringify(path)});`;
      return { contents };
    });
  },
};

// By an address that the compiler does not follow: the types of AssemblyScript would replace those of Node.
async function embedModules(): Promise<Plugin> {
  const file = new URL('../../../packages/backend-wasm/scripts/embed-modules.ts', import.meta.url).href;
  const module = (await import(/* @vite-ignore */ file)) as { embedModules: Plugin };
  return module.embedModules;
}

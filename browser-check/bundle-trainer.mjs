import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build as esbuild } from 'esbuild';
import { build as vite } from 'vite';

const entry = fileURLToPath(new URL('src/trainer-page.ts', import.meta.url));
const packages = fileURLToPath(new URL('../packages', import.meta.url));

/**
 * Makes trainer-page.js in a folder, from the built packages. A module of Node is an error in each of them.
 * @type {Record<'esbuild' | 'vite' | 'import map', (folder: string) => Promise<string>>} Each gives the head of the page.
 */
export const trainerPages = {
  esbuild: async (folder) => {
    const { warnings } = await esbuild({
      entryPoints: { 'trainer-page': entry },
      outdir: folder,
      ...{ bundle: true, minify: true, splitting: true, format: 'esm', target: 'es2022', logLevel: 'silent' },
    });
    if (warnings.length > 0) throw new Error(`esbuild warns: ${warnings.map(({ text }) => text).join('; ')}`);
    return '';
  },
  vite: async (folder) => {
    /** @type {string[]} */
    const warnings = [];
    await vite({
      configFile: false,
      root: join(entry, '..'),
      logLevel: 'error',
      build: {
        outDir: folder,
        target: 'es2022',
        rolldownOptions: {
          input: { 'trainer-page': entry },
          output: { entryFileNames: '[name].js' },
          onwarn: ({ message }) => warnings.push(message),
        },
      },
    });
    // Vite puts an empty module in the place of one of Node, with a warning.
    const ofNode = warnings.filter((text) => /externalized for browser compatibility/.test(text));
    if (ofNode.length > 0) throw new Error(`vite warns: ${ofNode.join('; ')}`);
    return '';
  },
  'import map': async (folder) => {
    // tfjs is CommonJS inside and needs a bundler; our packages are served as they are published.
    const map = importMap(folder);
    const imports = [...map.tfjs.keys()];
    await esbuild({
      entryPoints: Object.fromEntries(
        imports.map((name) => [name.replaceAll('/', '-').replace('@', ''), name]),
      ),
      outdir: join(folder, 'tfjs-modules'),
      absWorkingDir: dirname(entry),
      ...{ bundle: true, splitting: true, format: 'esm', target: 'es2022', logLevel: 'error' },
    });
    await esbuild({
      entryPoints: { 'trainer-page': entry },
      outdir: folder,
      ...{ bundle: true, format: 'esm', target: 'es2022', external: ['@hookline/*', '@tensorflow/*'] },
    });
    return `<script type="importmap">${JSON.stringify(map.json)}</script>`;
  },
};

/**
 * A map of every name that the packages import, to what is served: `/packages/...` and `/tfjs-modules/...`.
 * @param {string} folder
 */
function importMap(folder) {
  /** @type {Record<string, string>} */
  const imports = {};
  /** @type {Record<string, Record<string, string>>} */
  const scopes = {};
  /** @type {Map<string, string>} */
  const tfjs = new Map();
  const moduleOf = (/** @type {string} */ name) =>
    `/tfjs-modules/${name.replaceAll('/', '-').replace('@', '')}.js`;
  /** Where a name of the "imports" of a package leads. @param {string} base */
  const served =
    (base) =>
    (/** @type {[string, Record<string, string>]} */ [name, { browser, module }]) => [
      name,
      module ? moduleOf(module) : base + browser?.slice(2),
    ];
  const take = (/** @type {string} */ file) => {
    const {
      name,
      exports,
      imports: own,
      dependencies,
      peerDependencies,
    } = JSON.parse(readFileSync(file, 'utf8'));
    const base = `/packages/${relative(packages, dirname(file)).replaceAll('\\', '/')}/`;
    for (const [path, target] of Object.entries(exports)) {
      if (typeof target === 'object') imports[join(name, path)] = base + target.default.slice(2);
    }
    if (own) scopes[base] = Object.fromEntries(Object.entries(own).map(served(base)));
    for (const each of Object.keys({ ...dependencies, ...peerDependencies })) {
      if (each.startsWith('@tensorflow/')) tfjs.set(each, moduleOf(each));
    }
  };
  const require = createRequire(entry);
  const { dependencies } = JSON.parse(
    readFileSync(fileURLToPath(new URL('package.json', import.meta.url)), 'utf8'),
  );
  const reached = new Set();
  const visit = (/** @type {string} */ name, /** @type {NodeJS.Require} */ from) => {
    if (reached.has(name)) return;
    reached.add(name);
    const file = from.resolve(`${name}/package.json`);
    take(file);
    for (const each of Object.keys(JSON.parse(readFileSync(file, 'utf8')).dependencies ?? {})) {
      if (each.startsWith('@hookline/')) visit(each, createRequire(file));
    }
  };
  for (const name of Object.keys(dependencies)) if (name.startsWith('@hookline/')) visit(name, require);
  for (const name of Object.keys(dependencies)) {
    if (name.startsWith('@tensorflow/')) tfjs.set(name, moduleOf(name));
  }
  mkdirSync(folder, { recursive: true });
  const json = { imports: { ...imports, ...Object.fromEntries(tfjs) }, scopes };
  writeFileSync(join(folder, 'import-map.json'), JSON.stringify(json, null, 2));
  return { json, tfjs };
}

/**
 * What a page downloads of our code before it can train, minified and packed, in bytes: of the trainer and hook-api
 * alone, and with all that they need of ours but the kernels of wasm. tfjs is not counted, nor what is loaded when it is
 * asked for.
 */
export async function sizeOfTrainer() {
  const contents = "export { Trainer } from '@hookline/trainer';\nexport * from '@hookline/hook-api';";
  const bundle = async (/** @type {string[]} */ external) => {
    const { outputFiles, metafile } = await esbuild({
      stdin: { contents, resolveDir: dirname(entry) },
      ...{ bundle: true, splitting: true, minify: true, format: 'esm', target: 'es2022' },
      ...{ write: false, metafile: true, outdir: 'size', logLevel: 'error' },
      external: ['@tensorflow/*', '#tfjs-*', ...external],
    });
    const first = new Set(['size/stdin.js']);
    for (const name of first) {
      for (const { path, kind, external: isOutside } of metafile.outputs[name]?.imports ?? []) {
        if (isBuiltin(path)) throw new Error(`a page would need ${path}`);
        if (kind === 'import-statement' && !isOutside) first.add(path);
      }
    }
    const files = outputFiles.filter(({ path }) => [...first].some((name) => path.endsWith(name)));
    // As one file: how a bundler cuts it is the business of the project.
    return gzipSync(Buffer.concat(files.map(({ contents: bytes }) => bytes)), { level: 9 }).length;
  };
  const others = ['backend-wasm', 'data', 'hook-discovery', 'host', 'layer-taps', 'numerics', 'optimizers'];
  const outside = [...others, 'run-view', 'safetensors', 'tfjs-corrections'].flatMap((name) => [
    `@hookline/${name}`,
    `@hookline/${name}/*`,
  ]);
  return { own: await bundle(outside), all: await bundle(['@hookline/backend-wasm']) };
}

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { discoverHooks } from '@hookline/hook-discovery';
import { npmProject, plugin } from '@hookline/test-support';
import type { HooklineOptions } from '@hookline/vite-plugin';
import { hookline as viteHookline } from '@hookline/vite-plugin';
import { hookline as esbuildHookline } from '@hookline/vite-plugin/esbuild';
import { build as esbuild } from 'esbuild';
import { createServer, build as vite } from 'vite';
import { afterEach, describe, expect, test } from 'vitest';

/** Where hook-discovery looks in a page. */
const KEY = Symbol.for('hookline.bundled-hooks');

interface Bundled {
  name: string;
  from: string;
  trainerHooks: { hooks: Record<string, { entry: string; autoload: boolean }> };
  entries: Record<string, () => Promise<{ default: (options?: object) => { name: string } }>>;
}

const PAGE = { 'page.js': `import '@hookline/vite-plugin/hooks';` };

const bundlers = {
  esbuild: async (root: string, options?: HooklineOptions) => {
    const { warnings } = await esbuild({
      entryPoints: { page: join(root, 'page.js') },
      absWorkingDir: root,
      outdir: join(root, 'out'),
      ...{
        bundle: true,
        splitting: true,
        format: 'esm',
        logLevel: 'silent',
        outExtension: { '.js': '.mjs' },
      },
      plugins: [esbuildHookline(options)],
    });
    return warnings.map(({ text }) => text);
  },
  vite: async (root: string, options?: HooklineOptions) => {
    const warnings: string[] = [];
    await vite({
      configFile: false,
      root,
      logLevel: 'silent',
      plugins: [viteHookline(options)],
      build: {
        outDir: join(root, 'out'),
        rolldownOptions: {
          input: { page: join(root, 'page.js') },
          output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
          onwarn: ({ message }) => void warnings.push(message),
        },
      },
    });
    return warnings;
  },
};

afterEach(() => {
  delete (globalThis as { [KEY]?: unknown })[KEY];
  delete process.env.HOOKLINE_DISCOVERY;
});

/** What the page has when it runs. Node can run it: it imports nothing of a browser. */
async function run(root: string): Promise<Bundled[]> {
  await import(/* @vite-ignore */ pathToFileURL(join(root, 'out', 'page.mjs')).href);
  return (globalThis as unknown as { [KEY]: Bundled[] })[KEY];
}

describe.each(Object.entries(bundlers))('%s', (_name, bundle) => {
  test('a page has the hooks of its dependencies, in the order that Node finds, each loaded when it is needed', async () => {
    const root = npmProject(
      {
        'trainer-hook-zeta': plugin('trainer-hook-zeta', 'zeta'),
        'not-a-hook': { 'package.json': { name: 'not-a-hook' } },
        '@acme/hooks': plugin('@acme/hooks', 'alpha', {
          trainerHooks: {
            schema: 1,
            hooks: {
              alpha: { entry: './index.js', kinds: ['lifecycle'] },
              beta: { entry: './index.js', autoload: false },
            },
          },
        }),
      },
      PAGE,
    );
    expect(await bundle(root)).toEqual([]);
    const found = await run(root);
    expect(found.map(({ name, from }) => [name, from])).toEqual(
      discoverHooks({ root }).packages.map(({ name, from }) => [name, from]),
    );
    expect(found.map(({ trainerHooks }) => Object.keys(trainerHooks.hooks))).toEqual([
      ['zeta'],
      ['alpha', 'beta'],
    ]);
    expect(found[1]!.trainerHooks.hooks).toMatchObject({
      alpha: { autoload: true },
      beta: { autoload: false },
    });
    const { default: make } = await found[0]!.entries['./index.js']!();
    expect(make({ size: 2 })).toMatchObject({ name: 'zeta', options: { size: 2 } });
  });

  test('packages are left out as in Node: by options, and by HOOKLINE_DISCOVERY=off when it is built', async () => {
    const packages = {
      'trainer-hook-a': plugin('trainer-hook-a', 'a'),
      'trainer-hook-b': plugin('trainer-hook-b', 'b'),
    };
    const root = npmProject(packages, PAGE);
    await bundle(root, { exclude: ['*-a'] });
    expect((await run(root)).map(({ name }) => name)).toEqual(['trainer-hook-b']);

    process.env.HOOKLINE_DISCOVERY = 'off';
    const other = npmProject(packages, PAGE);
    await bundle(other);
    const found = await run(other);
    expect(found.map(({ trainerHooks }) => Object.values(trainerHooks.hooks)[0]!.autoload)).toEqual([
      false,
      false,
    ]);
  });

  test('a hook that needs Node, or a package that lies, is named when it is built and when it is loaded', async () => {
    const root = npmProject(
      {
        'trainer-hook-disk': {
          ...plugin('trainer-hook-disk', 'disk', {
            code: `import { save } from './save.js'; export default () => ({ name: 'disk', onEpochEnd: save });`,
          }),
          'save.js': `import { writeFileSync } from 'node:fs'; export const save = () => writeFileSync('x', 'y');`,
        },
        'trainer-hook-careful': plugin('trainer-hook-careful', 'careful', {
          code: `export default () => ({ name: 'careful', async setup() { if (globalThis.never) await import('node:fs'); } });`,
        }),
        'trainer-hook-liar': plugin('trainer-hook-liar', 'liar', {
          trainerHooks: { schema: 1, hooks: { liar: './gone.js' } },
        }),
        'trainer-hook-thief': plugin('trainer-hook-thief', 'progress'),
        'trainer-hook-old': plugin('trainer-hook-old', 'old', { peer: '^0.1.0' }),
        'trainer-hook-odd': plugin('trainer-hook-odd', 'odd', { trainerHooks: { schema: 7 } }),
      },
      PAGE,
    );
    const warnings = (await bundle(root)).join('\n');
    const reasons = {
      disk: /"disk" does not run in a browser: save\.js imports node:fs\. Switch it off there with hooks: { "disk": false }/,
      liar: /gone\.js.*there is no such file/,
      progress: /claims the hook name "progress", which belongs to @hookline\/hook-progress/,
      old: /needs @hookline\/hook-api \^0\.1\.0/,
      'trainer-hook-odd': /schema/,
    };
    for (const reason of Object.values(reasons)) expect(warnings).toMatch(reason);
    expect(warnings).not.toContain('careful');

    const found = await run(root);
    const loaders = found.flatMap(({ trainerHooks, entries }) =>
      Object.entries(trainerHooks.hooks).map(([name, { entry }]) => [name, entries[entry]!] as const),
    );
    expect(loaders.map(([name]) => name)).toEqual([
      'disk',
      'careful',
      'liar',
      'progress',
      'old',
      'trainer-hook-odd',
    ]);
    for (const [name, load] of loaders) {
      const reason = (reasons as Record<string, RegExp>)[name];
      if (reason) await expect(load()).rejects.toMatchObject({ name: 'HooklineError', message: reason });
      else expect((await load()).default()).toMatchObject({ name });
    }
  });
});

test("Vite's development server has them, too, and in a worker", async () => {
  const root = npmProject({ 'trainer-hook-a': plugin('trainer-hook-a', 'a') }, PAGE);
  mkdirSync(join(root, 'public'));
  const server = await createServer({
    ...{ configFile: false, root, logLevel: 'silent', plugins: [viteHookline()] },
    server: { middlewareMode: true, watch: null, hmr: false, ws: false },
  });
  try {
    const page = await server.transformRequest('/page.js');
    const [, module] = /import "([^"]+)"/.exec(page!.code)!;
    const { code } = (await server.transformRequest(module!.replace('/@id/__x00__', '\0')))!;
    expect(code).toContain('"name":"trainer-hook-a"');
    expect(code).toMatch(/import\("\/node_modules\/trainer-hook-a\/index\.js[^"]*"\)/);
    expect(server.config.worker.format).toBe('es');
  } finally {
    await server.close();
  }
});

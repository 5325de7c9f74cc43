import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import { write } from '@hookline/test-support';

const PACKAGES = join(import.meta.dirname, '../../..');

/** Puts a package of this workspace into a project as npm would, its sources bundled; `code` is what it exports. */
export async function installPackage(
  root: string,
  name: string,
  code = `export * from './src/index.ts';`,
): Promise<void> {
  const folder = join(PACKAGES, name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const bundle = await bundledProgram(code, folder);
  const hooks = Object.entries(manifest.trainerHooks?.hooks ?? {}) as [string, { entry: string }][];
  write(join(root, 'node_modules', manifest.name), {
    'package.json': {
      ...{ name: manifest.name, version: manifest.version, type: 'module', exports: './index.js' },
      peerDependencies: { '@hookline/hook-api': '^1.0.0' },
      ...(hooks.length > 0 && {
        trainerHooks: {
          schema: 1,
          hooks: Object.fromEntries(hooks.map(([hook, entry]) => [hook, { ...entry, entry: './index.js' }])),
        },
      }),
    },
    'index.js': `export * from ${JSON.stringify(pathToFileURL(bundle).href)};`,
  });
  const file = join(root, 'package.json');
  const project = JSON.parse(readFileSync(file, 'utf8'));
  write(root, {
    'package.json': { ...project, dependencies: { ...project.dependencies, [manifest.name]: '*' } },
  });
}

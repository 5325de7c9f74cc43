import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { discoverHooks } from '@hookline/trainer';
import { type Benchmark, roundsFor } from './benchmark.js';
import { race, ratioOf } from './paired.js';
import { processorTime } from './processor-time.js';

const DEPENDENCIES = 50;
const PLUGINS = 5;

/** Finding the hooks of a project with 50 direct dependencies against reading the same 50 files. */
export const discovery: Benchmark = async (settings) => {
  const root = mkdtempSync(join(tmpdir(), 'hookline-bench-'));
  try {
    const files = createProject(root);
    const found = discoverHooks({ root }).packages.filter(({ status }) => status === 'found');
    if (found.length !== PLUGINS) throw new Error(`Discovery found ${found.length} plugins of ${PLUGINS}.`);
    const times = await race(
      {
        discovery: () => discoverHooks({ root }),
        reading: () => {
          for (const file of files) JSON.parse(readFileSync(file, 'utf8'));
        },
      },
      { rounds: roundsFor(settings), warmUp: 10, repeats: 10, clock: processorTime },
    );
    const each = (name: 'discovery' | 'reading') => Math.min(...times[name]).toFixed(2);
    return [
      {
        what: `discovery among ${DEPENDENCIES} dependencies / readFileSync and JSON.parse of them`,
        ratio: ratioOf(times, 'discovery', 'reading'),
        budget: 3,
        note: `${each('discovery')} / ${each('reading')} ms`,
      },
    ];
  } finally {
    rmSync(root, { recursive: true });
  }
};

/** A project as npm installs it. Returns the package.json files of its dependencies. */
function createProject(root: string): string[] {
  const names = Array.from({ length: DEPENDENCIES }, (_, index) =>
    index % 3 === 0 ? `@scope-${index}/library-${index}` : `library-${index}`,
  );
  writeJson(join(root, 'package.json'), {
    name: 'project',
    dependencies: Object.fromEntries(names.map((name) => [name, '^1.0.0'])),
  });
  return names.map((name, index) => {
    const file = join(root, 'node_modules', name, 'package.json');
    const isPlugin = index % (DEPENDENCIES / PLUGINS) === 0;
    writeJson(file, { ...manifestOf(name), ...(isPlugin && pluginFields(index)) });
    return file;
  });
}

/** About 1.5 kB, as packages have. */
function manifestOf(name: string): object {
  const others = (prefix: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}-${index}`, `^${index}.2.3`]));
  return {
    name,
    version: '1.4.2',
    description: 'A library that does one thing, and has for many years, with some words on what that is',
    keywords: ['one', 'thing', 'well', 'library', 'typescript'],
    license: 'MIT',
    author: { name: 'Somebody', email: 'somebody@example.org', url: 'https://example.org' },
    repository: { type: 'git', url: 'git+https://example.org/somebody/library.git' },
    type: 'module',
    main: './dist/index.cjs',
    exports: { '.': { types: './dist/index.d.ts', import: './dist/index.js', require: './dist/index.cjs' } },
    files: ['dist', 'README.md'],
    scripts: { build: 'tsup', test: 'vitest run', lint: 'biome check', release: 'changeset publish' },
    dependencies: others('dependency', 6),
    devDependencies: others('tool', 20),
    engines: { node: '>=20' },
  };
}

function pluginFields(index: number): object {
  return {
    trainerHooks: { schema: 1, hooks: { [`hook-${index}`]: './dist/index.js' } },
    peerDependencies: { '@hookline/hook-api': '*' },
  };
}

function writeJson(file: string, json: object): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(json, null, 2));
}

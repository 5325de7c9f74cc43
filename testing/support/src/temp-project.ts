import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { onTestFinished } from 'vitest';

/** Files by path; objects are written as JSON. */
export type Files = Record<string, string | object>;

/** A folder with these files, removed after the test. */
export function tempFolder(files: Files = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  write(root, files);
  return root;
}

export function write(root: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
}

/** A relative symbolic link, as pnpm makes them. */
export function link(root: string, path: string, target: string): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(relative(dirname(file), join(root, target)), file, 'dir');
}

/** A user's project that depends on these packages, laid out flat as npm does. */
export function npmProject(packages: Record<string, Files>, extra: Files = {}): string {
  const dependencies = Object.fromEntries(Object.keys(packages).map((name) => [name, '*']));
  const root = tempFolder({ 'package.json': { name: 'project', dependencies }, ...extra });
  for (const [name, files] of Object.entries(packages)) write(join(root, 'node_modules', name), files);
  return root;
}

export interface PluginOptions {
  trainerHooks?: unknown;
  peer?: string | null;
  code?: string;
  json?: object;
}

/** The files of a plugin with one hook, which works unless the options say otherwise. */
export function plugin(name: string, hook: string, options: PluginOptions = {}): Files {
  const { peer = '^1.0.0', code, json } = options;
  return {
    'package.json': {
      name,
      version: '1.2.3',
      type: 'module',
      ...(peer === null ? {} : { peerDependencies: { '@hookline/hook-api': peer } }),
      trainerHooks: options.trainerHooks ?? { schema: 1, hooks: { [hook]: './index.js' } },
      ...json,
    },
    'index.js': code ?? `export default (options) => ({ name: '${hook}', options, onEpochEnd() {} });\n`,
  };
}

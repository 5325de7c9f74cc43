import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { validateManifest } from '@hookline/hook-api/manifest';
import type { DiscoveredPackage, Discovery } from './discovery.js';
import { claimNames } from './name-claims.js';
import { objectIn, parsePackageJson, readIfThere } from './package-json.js';
import { checkPeerRange } from './peer-range.js';
import { findProjectRoot } from './project-root.js';

export interface DiscoverOptions {
  /** Where to look for the project: the nearest package.json at or above. The working directory by default. */
  root?: string;
  /** Also looks at `devDependencies`. */
  includeDev?: boolean;
  /** Only these packages; `*` stands for any text, as in `@hookline/*`. */
  include?: readonly string[];
  /** Not these packages. */
  exclude?: readonly string[];
}

/**
 * Finds the hooks in the project's direct dependencies. Reads package.json files and runs no plugin code.
 *
 * Every file is found by walking up from the project: an `exports` map can hide package.json, and a search
 * from this package's folder misses what pnpm installs elsewhere.
 */
export function discoverHooks(options: DiscoverOptions = {}): Discovery {
  const start = resolve(options.root ?? '.');
  const root = findProjectRoot(start);
  if (root === undefined) return { root: start, packages: [], notInstalled: [] };

  const packages: DiscoveredPackage[] = [];
  const notInstalled: string[] = [];
  const folders = lookupFolders(root);
  for (const { name, optional, dev } of declaredDependencies(root, options.includeDev ?? false)) {
    const found = readDependency(folders, name);
    if (found === undefined && !optional) notInstalled.push(name);
    // Most dependencies are not plugins, and searching the text is cheaper than parsing it.
    if (!found?.text.includes('"trainerHooks"')) continue;
    const plugin = readPlugin(name, dev, found, options);
    if (plugin) packages.push(plugin);
  }
  claimNames(packages);
  return { root, packages, notInstalled };
}

interface Dependency {
  name: string;
  optional: boolean;
  dev: boolean;
}

function declaredDependencies(root: string, includeDev: boolean): Iterable<Dependency> {
  const file = join(root, 'package.json');
  const json = parsePackageJson(readFileSync(file, 'utf8'), file);
  const optional = objectIn(json.optionalDependencies);
  const dependencies = new Map<string, Dependency>();
  const declare = (names: object, dev: boolean) => {
    for (const name of Object.keys(names)) {
      if (dependencies.has(name)) continue;
      dependencies.set(name, { name, optional: Object.hasOwn(optional, name), dev });
    }
  };
  declare(objectIn(json.dependencies), false);
  declare(optional, false);
  if (includeDev) declare(objectIn(json.devDependencies), true);
  return dependencies.values();
}

/** Where Node looks for the project's packages: its node_modules and those above it, if they exist. */
function lookupFolders(root: string): string[] {
  // Asked once, with a name that no built-in module has: for `events` or `buffer` Node would answer null.
  const folders = createRequire(join(root, 'package.json')).resolve.paths('@hookline/any') ?? [];
  return folders.filter((folder) => existsSync(folder));
}

interface PackageFile {
  file: string;
  text: string;
}

function readDependency(folders: readonly string[], name: string): PackageFile | undefined {
  for (const folder of folders) {
    // Not `join`: for many dependencies, normalizing these paths costs a third of the time of reading the files.
    const file = `${folder}/${name}/package.json`;
    const text = readIfThere(file);
    if (text !== undefined) return { file, text };
  }
  return undefined;
}

function readPlugin(
  name: string,
  dev: boolean,
  { file, text }: PackageFile,
  options: DiscoverOptions,
): DiscoveredPackage | undefined {
  const dir = realpathSync.native(dirname(file));
  const plugin: DiscoveredPackage = {
    name,
    version: '',
    dir,
    dev,
    hooks: [],
    status: 'found',
    reasons: [],
    warnings: [],
  };
  try {
    const json = parsePackageJson(text, file);
    if (json.trainerHooks === undefined) return undefined;
    if (typeof json.version === 'string') plugin.version = json.version;
    const manifest = validateManifest(json.trainerHooks, name);
    const peer = checkPeerRange(json, name);
    plugin.hooks = manifest.hooks;
    plugin.reasons = manifest.problems.map(({ path, message }) => `${path}: ${message}.`);
    plugin.warnings = manifest.warnings.map(({ path, message }) => `${path}: ${message}`);
    if (peer.problem !== undefined) plugin.reasons.push(peer.problem);
    if (peer.warning !== undefined) plugin.warnings.push(peer.warning);
  } catch (error) {
    plugin.reasons = [(error as Error).message];
  }
  if (plugin.reasons.length > 0) plugin.status = 'rejected';
  const leftOut = whyLeftOut(name, options);
  if (leftOut !== undefined) Object.assign(plugin, { status: 'disabled', reasons: [leftOut] });
  return plugin;
}

function whyLeftOut(name: string, { include, exclude }: DiscoverOptions): string | undefined {
  if (exclude?.some((pattern) => matches(name, pattern))) return 'Left out by discover.exclude.';
  if (include && !include.some((pattern) => matches(name, pattern))) return 'Not in discover.include.';
  return undefined;
}

function matches(name: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}

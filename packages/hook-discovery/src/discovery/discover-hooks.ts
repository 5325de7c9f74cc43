import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { validateManifest } from '@hookline/hook-api/manifest';
import { dependenciesOf, mayHave } from './dependencies.js';
import type { DependencyField, DiscoveredPackage, Discovery } from './discovery.js';
import type { PackageFile } from './find-package.js';
import { findProject } from './find-project.js';
import { whyLeftOut } from './left-out.js';
import { claimNames } from './name-claims.js';
import { parsePackageJson, versionIn } from './package-json.js';
import { checkPeerRange } from './peer-range.js';

export interface DiscoverOptions {
  /**
   * Where to look for the project: the nearest package.json at or above. By default that of the script that runs, or of
   * the working directory.
   */
  root?: string;
  /** Also looks at `devDependencies`. */
  includeDev?: boolean;
  /** Only these packages; `*` stands for any text, as in `@hookline/*`. */
  include?: readonly string[];
  /** Not these packages. */
  exclude?: readonly string[];
}

/** Finds the hooks in the project's direct dependencies. Reads package.json files and runs no plugin code. */
export function discoverHooks(options: DiscoverOptions = {}): Discovery {
  const { root, text, looked } = findProject(options.root);
  const discovery: Discovery = { root, looked, packages: [], notInstalled: [] };
  if (text === undefined) return discovery;

  for (const { name, from, found } of dependenciesOf(root, text, options.includeDev ?? false)) {
    const isRequired = from === 'dependencies' || from === 'devDependencies';
    if (found === undefined && isRequired) discovery.notInstalled.push(name);
    if (!found || !mayHave(found, 'trainerHooks')) continue;
    const plugin = readPlugin(name, from, found, options);
    if (plugin) discovery.packages.push(plugin);
  }
  claimNames(discovery.packages);
  return discovery;
}

function readPlugin(
  name: string,
  from: DependencyField,
  { file, text }: PackageFile,
  options: DiscoverOptions,
): DiscoveredPackage | undefined {
  const dir = realpathSync.native(dirname(file));
  const plugin: DiscoveredPackage = {
    name,
    version: '',
    dir,
    from,
    hooks: [],
    status: 'found',
    reasons: [],
    warnings: [],
  };
  try {
    const json = parsePackageJson(text, file);
    if (json.trainerHooks === undefined) return undefined;
    plugin.version = versionIn(json);
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

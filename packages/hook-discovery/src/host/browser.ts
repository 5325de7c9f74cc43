// Where hooks come from in a browser: code, and what a bundler has put there. In Node `#host` is node.ts.
import { type HooklineError, type ManifestHook, nearest } from '@hookline/hook-api';
import { validateManifest } from '@hookline/hook-api/manifest';
import { builtInOwner } from '../built-in-packages.js';
import { type BundledPackage, bundledPackages } from '../bundled-hooks.js';
import type { DiscoverOptions } from '../discovery/discover-hooks.js';
import type { DiscoveredPackage, Discovery } from '../discovery/discovery.js';
import type { Project } from '../discovery/find-project.js';
import { whyLeftOut } from '../discovery/left-out.js';
import { claimNames } from '../discovery/name-claims.js';
import { placeOf } from '../discovery/package-label.js';
import { discoveryError } from '../errors.js';

/** Not known here: the bundler has compared versions. */
export const HOOK_API_VERSION: string = 'bundled';

/** A page has no environment that could switch it off; without bundled hooks there is nothing to find. */
export function isDiscoveryOff(): boolean {
  return bundledPackages().length === 0;
}

export function findProject(_start?: string): Project {
  return { root: '/', text: undefined, looked: [] };
}

export function findProjectRoot(_start?: string): string | undefined {
  return '/';
}

/** The hooks that a bundler found. */
export function discoverHooks(options: DiscoverOptions = {}): Discovery {
  const packages = bundledPackages().map((each) => describe(each, options));
  claimNames(packages);
  return { root: '/', looked: [], packages, notInstalled: [] };
}

export async function importMaker(plugin: DiscoveredPackage, hook: ManifestHook): Promise<unknown> {
  const bundled = bundledPackages().find(({ name }) => name === plugin.name);
  const load = bundled?.entries[hook.entry];
  const who = placeOf(plugin, hook);
  if (!load) throw discoveryError('HOOK_FILE', `${who}: it is not part of this bundle. Build it again.`);
  const module = (await load()) as Record<string, unknown>;
  if (module[hook.export] !== undefined) return module[hook.export];
  throw discoveryError(
    'HOOK_EXPORT',
    `${who}: it has no export "${hook.export}". It exports: ${Object.keys(module).join(', ') || 'nothing'}.`,
  );
}

export function unknownHook(name: string, known: readonly string[], _project: Project): HooklineError {
  const owner = builtInOwner(name);
  const guess = nearest(name, known);
  const advice = owner
    ? `Import it and pass it: import { ... } from '${owner}'. With a bundler, its plugin finds installed hooks.`
    : 'In a page hooks are passed in code, or found by the plugin of your bundler.';
  return discoveryError(
    owner ? 'HOOK_NOT_INSTALLED' : 'UNKNOWN_HOOK',
    `No hook is named "${name}".${guess ? ` Did you mean "${guess}"?` : ''} Known: ${known.join(', ') || 'none'}. ${advice}`,
  );
}

function describe(bundled: BundledPackage, options: DiscoverOptions): DiscoveredPackage {
  const { name, version, from = 'dependencies', trainerHooks } = bundled;
  const { hooks, problems, warnings } = validateManifest(trainerHooks, name);
  const reasons = problems.map(({ path, message }) => `${path}: ${message}.`);
  const leftOut = whyLeftOut(name, options);
  return {
    ...{ name, version, from, hooks, dir: name },
    status: leftOut !== undefined ? 'disabled' : reasons.length > 0 ? 'rejected' : 'found',
    reasons: leftOut === undefined ? reasons : [leftOut],
    warnings: warnings.map(({ path, message }) => `${path}: ${message}`),
  };
}

/** What needs the files of a project. */
function onlyInNode(what: string): () => never {
  return () => {
    throw discoveryError('NO_PROJECT', `${what}() reads the files of a project, and a browser has none.`);
  };
}

export const importFromFile: (path: string, name: string, who: string) => Promise<unknown> = async () =>
  onlyInNode('importFromFile')();
export const checkPeerRange: () => never = onlyInNode('checkPeerRange');
export const discoverCommands: () => never = onlyInNode('discoverCommands');
export const hookFile: () => never = onlyInNode('hookFile');
export const howToGetCommand: () => never = onlyInNode('howToGetCommand');
export const importExport: () => never = onlyInNode('importExport');
export const importFile: () => never = onlyInNode('importFile');
export const loadCommand: () => never = onlyInNode('loadCommand');
export const realFile: () => never = onlyInNode('realFile');

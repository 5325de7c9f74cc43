import { join } from 'node:path';
import type { Hook, ManifestHook } from '@hookline/hook-api';
import { builtInOwner } from '../built-in-packages.js';
import { type DiscoveryErrorCode, discoveryError } from '../errors.js';
import type { DiscoveredPackage } from './discovery.js';
import { importExport, realFile } from './import-export.js';
import { type HookMaker, makeHooks } from './make-hooks.js';

/** Imports one discovered hook and makes it. One of the hooks made must have the name in the manifest. */
export async function loadHook(
  plugin: DiscoveredPackage,
  manifest: ManifestHook,
  options?: object,
): Promise<Hook[]> {
  const who = placeOf(plugin, manifest);
  const fail = (code: DiscoveryErrorCode, message: string) => discoveryError(code, `${who}: ${message}`);

  const maker = await importExport(hookFile(plugin, manifest), manifest.export, who);
  if (typeof maker !== 'function') {
    throw fail(
      'HOOK_EXPORT',
      `export "${manifest.export}" is of type ${typeof maker}; expected a function that makes the hook.`,
    );
  }
  const hooks = await makeHooks(maker as HookMaker, options, who);
  const names = hooks.map(({ name }) => name);
  if (!names.includes(manifest.name)) {
    const given = names.map((name) => `"${name}"`).join(', ') || 'nothing';
    throw fail(
      'HOOK_NAME',
      `it made ${given}. The name in trainerHooks and the name of the hook must be equal.`,
    );
  }
  const foreign = names.find((name) => (builtInOwner(name) ?? plugin.name) !== plugin.name);
  if (foreign !== undefined) {
    throw fail('HOOK_NAME', `it made a hook named "${foreign}", which belongs to ${builtInOwner(foreign)}.`);
  }
  return hooks;
}

/** The file that a hook is loaded from. Throws when it is not there, or lies outside of its package. */
export function hookFile(plugin: DiscoveredPackage, manifest: ManifestHook): string {
  return realFile(join(plugin.dir, manifest.entry), placeOf(plugin, manifest), plugin.dir);
}

function placeOf(plugin: DiscoveredPackage, { name, entry }: ManifestHook): string {
  return `${packageLabel(plugin)}, hook "${name}" (${join(plugin.dir, entry)})`;
}

/** `name@version`. */
export function packageLabel({ name, version }: { name: string; version: string }): string {
  return version === '' ? name : `${name}@${version}`;
}

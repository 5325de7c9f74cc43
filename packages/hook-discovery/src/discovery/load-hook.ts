import type { Hook, ManifestHook } from '@hookline/hook-api';
import { importMaker } from '#host';
import { builtInOwner } from '../built-in-packages.js';
import { type DiscoveryErrorCode, discoveryError } from '../errors.js';
import type { DiscoveredPackage } from './discovery.js';
import { type HookMaker, makeHooks } from './make-hooks.js';
import { placeOf } from './package-label.js';

/** Imports one discovered hook and makes it. One of the hooks made must have the name in the manifest. */
export async function loadHook(
  plugin: DiscoveredPackage,
  manifest: ManifestHook,
  options?: object,
): Promise<Hook[]> {
  const who = placeOf(plugin, manifest);
  const fail = (code: DiscoveryErrorCode, message: string) => discoveryError(code, `${who}: ${message}`);

  const maker = await importMaker(plugin, manifest);
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

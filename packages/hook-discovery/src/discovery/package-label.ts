import type { ManifestHook } from '@hookline/hook-api';
import { join } from '@hookline/host';
import type { DiscoveredPackage } from './discovery.js';

/** `name@version`. */
export function packageLabel({ name, version }: { name: string; version: string }): string {
  return version === '' ? name : `${name}@${version}`;
}

/** Which hook of which package, and its file, in words. */
export function placeOf(plugin: DiscoveredPackage, { name, entry }: ManifestHook): string {
  return `${packageLabel(plugin)}, hook "${name}" (${join(plugin.dir, entry)})`;
}

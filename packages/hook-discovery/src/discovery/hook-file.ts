import { join } from 'node:path';
import type { ManifestHook } from '@hookline/hook-api';
import type { DiscoveredPackage } from './discovery.js';
import { importExport, realFile } from './import-export.js';
import { placeOf } from './package-label.js';

/** The file that a hook is loaded from. Throws when it is not there, or lies outside of its package. */
export function hookFile(plugin: DiscoveredPackage, manifest: ManifestHook): string {
  return realFile(join(plugin.dir, manifest.entry), placeOf(plugin, manifest), plugin.dir);
}

/** What the manifest names: the class or factory of a hook. */
export function importMaker(plugin: DiscoveredPackage, manifest: ManifestHook): Promise<unknown> {
  return importExport(hookFile(plugin, manifest), manifest.export, placeOf(plugin, manifest));
}

/** What a file of the project exports. */
export async function importFromFile(path: string, name: string, who: string): Promise<unknown> {
  return importExport(realFile(path, who), name, who);
}

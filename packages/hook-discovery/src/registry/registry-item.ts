import type { Hook, HookSource, ManifestHook } from '@hookline/hook-api';
import { isAbsolute, join, resolve } from '@hookline/host';
import { type DiscoveredPackage, whyOnlyNamed } from '../discovery/discovery.js';
import type { HookMaker } from '../discovery/make-hooks.js';
import { packageLabel } from '../discovery/package-label.js';

/** What the registry knows of one hook, and the hook itself once it is made. */
export interface RegistryItem {
  /** Until the hook is made, what it can be called by: a function's or a file's name. */
  name: string;
  /** The installed hook that this is an instance of, under another name. It keeps that hook's place in the order. */
  slot: string | undefined;
  /** What decides its place in the order: the list it was passed in, or package.json. */
  source: HookSource;
  origin: Origin;
  options: object | undefined;
  /** Whether the user wants it on. Nobody else keeps this. */
  enabled: boolean;
  /** Why it is not enabled. */
  reason: string;
  /** The user passed a hook of the same name, which runs instead. */
  replaced: boolean;
  hook: Hook | undefined;
}

export type Origin =
  | { from: 'instance' }
  | { from: 'maker'; make: HookMaker; mustMake: string | undefined }
  | { from: 'file'; path: string; export: string }
  | { from: 'plugin'; package: DiscoveredPackage; hook: ManifestHook }
  /** A package that is rejected or left out: listed, never imported. */
  | { from: 'barred'; package: DiscoveredPackage };

export function newItem(
  name: string,
  source: HookSource,
  origin: Origin,
  extra: { hook?: Hook; enabled?: boolean; reason?: string } = {},
): RegistryItem {
  const { hook, enabled = true, reason = '' } = extra;
  const [slot, options] = [undefined, undefined];
  return { name, slot, source, origin, options, enabled, reason, replaced: false, hook };
}

/** The items of a package: one for each hook, or one for the whole package when it is barred. */
export function pluginItems(plugin: DiscoveredPackage): RegistryItem[] {
  if (plugin.status !== 'found') {
    const enabled = plugin.status === 'rejected' && plugin.from !== 'peerDependencies';
    const reason = plugin.reasons.join(' ');
    return [newItem(plugin.name, 'plugin', { from: 'barred', package: plugin }, { enabled, reason })];
  }
  return plugin.hooks.map((hook) => {
    const offBecause = whyOnlyNamed(plugin, hook);
    const reason = offBecause === undefined ? '' : `On only when you name it: ${offBecause}.`;
    const origin: Origin = { from: 'plugin', package: plugin, hook };
    return newItem(hook.name, 'plugin', origin, { enabled: offBecause === undefined, reason });
  });
}

/** `./hooks/mine.js#Mine`, from the project's folder; undefined when the name is not that of a file. */
export function fileItem(name: string, root: string): RegistryItem | undefined {
  if (!/^\.{1,2}\//.test(name) && !isAbsolute(name)) return undefined;
  const [, path = name, exported = 'default'] = /^(.+?)(?:#([^#/]+))?$/.exec(name) ?? [];
  return newItem(name, 'code', { from: 'file', path: resolve(root, path), export: exported });
}

/** The file that an item's hook is loaded from. */
export function fileOf({ origin }: RegistryItem): string | undefined {
  if (origin.from === 'file') return origin.path;
  return origin.from === 'plugin' ? join(origin.package.dir, origin.hook.entry) : undefined;
}

export function packageOf({ origin }: RegistryItem): DiscoveredPackage | undefined {
  return 'package' in origin ? origin.package : undefined;
}

/** Where an item comes from, in words. */
export function whereFrom(item: RegistryItem): string {
  const plugin = packageOf(item);
  if (plugin) return packageLabel(plugin);
  return item.origin.from === 'file' ? item.origin.path : 'your code';
}

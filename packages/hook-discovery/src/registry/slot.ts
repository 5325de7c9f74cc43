import { isAbsolute, join, resolve } from 'node:path';
import { type Hook, HooklineError, type HookSource, type ManifestHook } from '@hookline/hook-api';
import type { DiscoveredPackage } from '../discovery/discover-hooks.js';
import { importExport, realFile } from '../discovery/import-export.js';
import { loadHook, packageLabel } from '../discovery/load-hook.js';
import { checkHooks, type HookMaker, makeHooks } from '../discovery/make-hooks.js';

/** One place of the registry: what is known of a hook, and the hook itself once it is there. */
export interface Slot {
  /** Until the hook is made, what it can be called by: a function's or a file's name. */
  name: string;
  /** Where its place in the order comes from. */
  source: HookSource;
  origin: Origin;
  options: object | undefined;
  enabled: boolean;
  /** Why it is not enabled. */
  reason: string;
  /** A hook of the user has taken its name. */
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

export function newSlot(
  name: string,
  source: HookSource,
  origin: Origin,
  extra: { hook?: Hook; enabled?: boolean; reason?: string } = {},
): Slot {
  const { hook, enabled = true, reason = '' } = extra;
  return { name, source, origin, options: undefined, enabled, reason, replaced: false, hook };
}

/** The slots of a package: one for each hook, or one for the whole package when it is barred. */
export function pluginSlots(plugin: DiscoveredPackage): Slot[] {
  if (plugin.status !== 'found') {
    const [enabled, reason] = [plugin.status === 'rejected', plugin.reasons.join(' ')];
    return [newSlot(plugin.name, 'plugin', { from: 'barred', package: plugin }, { enabled, reason })];
  }
  return plugin.hooks.map((hook) => {
    const reason = hook.autoload ? '' : 'On only when named: autoload is false.';
    const origin: Origin = { from: 'plugin', package: plugin, hook };
    return newSlot(hook.name, 'plugin', origin, { enabled: hook.autoload, reason });
  });
}

/** `./hooks/mine.js#Mine`, from the project's folder; undefined when the name is not that of a file. */
export function fileSlot(name: string, root: string): Slot | undefined {
  if (!/^\.{1,2}\//.test(name) && !isAbsolute(name)) return undefined;
  const [, path = name, exported = 'default'] = /^(.+?)(?:#([^#/]+))?$/.exec(name) ?? [];
  return newSlot(name, 'code', { from: 'file', path: resolve(root, path), export: exported });
}

/** Makes the slot's hooks; factories may make several. */
export async function loadSlot(slot: Slot): Promise<Hook[]> {
  const { origin, options } = slot;
  if (origin.from === 'plugin') return loadHook(origin.package, origin.hook, options);
  if (origin.from === 'file') {
    const exported = await importExport(realFile(origin.path, slot.name), origin.export, slot.name);
    if (typeof exported === 'function') return makeHooks(exported as HookMaker, options, slot.name);
    if (options === undefined) return checkHooks(exported, slot.name);
    throw optionsForInstance(slot.name);
  }
  if (origin.from === 'maker') {
    const hooks = await makeHooks(origin.make, options, slot.name);
    const { mustMake } = origin;
    if (mustMake === undefined || hooks.some(({ name }) => name === mustMake)) return hooks;
    throw wrongName(mustMake, hooks.map(({ name }) => name).join(', '));
  }
  return slot.hook ? [slot.hook] : [];
}

/** The file that a slot's hook is loaded from. */
export function fileOf({ origin }: Slot): string | undefined {
  if (origin.from === 'file') return origin.path;
  return origin.from === 'plugin' ? join(origin.package.dir, origin.hook.entry) : undefined;
}

export function packageOf({ origin }: Slot): DiscoveredPackage | undefined {
  return 'package' in origin ? origin.package : undefined;
}

/** Where a slot comes from, in words. */
export function whereFrom(slot: Slot): string {
  const plugin = packageOf(slot);
  if (plugin) return packageLabel(plugin);
  return slot.origin.from === 'file' ? slot.origin.path : 'your code';
}

export function optionsForInstance(name: string): HooklineError {
  return new HooklineError(
    'HOOK_OPTIONS',
    `Hook "${name}" was given options, but it is already made. Pass its class or factory with the options, or make it with them.`,
  );
}

export function wrongName(key: string, name: string): HooklineError {
  return new HooklineError(
    'HOOK_NAME',
    `hooks["${key}"] holds a hook named "${name}": in a map, the key must be the hook's name. Use a list, or make them equal.`,
  );
}

import type { ManifestHook } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import {
  type DiscoveredPackage,
  type Discovery,
  hookFile,
  isDiscoveryOff,
  loadHook,
  packageLabel,
  whyOnlyNamed,
} from '@hookline/hook-discovery';
import type { HookRow } from './hook-table.js';

/** A hook of the list, as `orderHooks` takes it. */
export type InstalledRow = HookRow & { source: 'plugin' };

/** Every hook that discovery found. Only what can be loaded is on: its file is there, and with `check` it was loaded. */
export async function rowsOf({ packages }: Discovery, check: boolean): Promise<InstalledRow[]> {
  const rows: InstalledRow[] = [];
  for (const plugin of packages) {
    if (plugin.status !== 'found') rows.push(leftOut(plugin));
    else for (const hook of plugin.hooks) rows.push(await rowOf(plugin, hook, check));
  }
  return rows;
}

function leftOut(plugin: DiscoveredPackage): InstalledRow {
  return {
    ...placeOf(plugin),
    name: plugin.hooks.map((hook) => hook.name).join(', ') || '?',
    status: plugin.status === 'disabled' ? 'off' : 'rejected',
    kinds: [],
    notes: plugin.reasons,
  };
}

async function rowOf(plugin: DiscoveredPackage, hook: ManifestHook, check: boolean): Promise<InstalledRow> {
  const { name, kinds = [] } = hook;
  const off = isDiscoveryOff() ? 'HOOKLINE_DISCOVERY=off' : whyOnlyNamed(plugin, hook);
  const notes = off === undefined ? [] : [`${off}: on only when you name it, as in hooks: ['${name}']`];
  const problem = await problemOf(plugin, hook, check);
  const row = { ...placeOf(plugin), name, kinds };
  if (problem === undefined) return { ...row, status: off === undefined ? 'on' : 'off', notes };
  // Whoever names it may give it the options that it needs.
  if (off !== undefined && needsOptions(problem)) {
    return { ...row, status: 'off', notes: [...notes, `without options: ${messageOf(problem)}`] };
  }
  return { ...row, status: 'broken', notes: [messageOf(problem)] };
}

async function problemOf(plugin: DiscoveredPackage, hook: ManifestHook, check: boolean): Promise<unknown> {
  try {
    if (check) await loadHook(plugin, hook);
    else hookFile(plugin, hook);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** It was imported, and could not be made from nothing. */
function needsOptions(error: unknown): boolean {
  return !['HOOK_FILE', 'HOOK_IMPORT', 'HOOK_EXPORT'].includes((error as { code: string }).code);
}

function placeOf(plugin: DiscoveredPackage): { source: 'plugin'; from: string } {
  return { source: 'plugin', from: packageLabel(plugin) };
}

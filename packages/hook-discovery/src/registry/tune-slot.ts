import { HooklineError } from '@hookline/hook-api';
import type { DiscoveredPackage } from '../discovery/discover-hooks.js';
import { packageLabel } from '../discovery/load-hook.js';
import { optionsForInstance, type Slot, whereFrom } from './slot.js';
import { duplicateHook } from './slot-names.js';

/** Does to a slot what the user says of it: `true`, `false` or options. */
export function tuneSlot(slot: Slot, setting: unknown): void {
  if (setting === false) {
    slot.enabled = false;
    slot.reason = 'Switched off.';
    return;
  }
  if (slot.origin.from === 'barred') throw rejected(slot.origin.package);
  if (slot.replaced) throw duplicateHook(slot.name, 'your code', whereFrom(slot));
  if (setting !== true) slot.options = optionsFor(slot, setting);
  slot.enabled = true;
  slot.reason = '';
}

export function rejected(plugin: DiscoveredPackage): HooklineError {
  return new HooklineError(
    'PLUGIN_REJECTED',
    `${packageLabel(plugin)} (${plugin.dir}) cannot be used: ${plugin.reasons.join(' ')}`,
  );
}

function optionsFor(slot: Slot, setting: unknown): object {
  if (typeof setting !== 'object' || setting === null || Array.isArray(setting)) {
    throw new HooklineError(
      'HOOKS_OPTION',
      `Hook "${slot.name}" is set to ${JSON.stringify(setting)}, expected true, false or an object with its options.`,
    );
  }
  if (slot.origin.from === 'instance') throw optionsForInstance(slot.name);
  if (slot.hook === undefined) return setting;
  throw new HooklineError(
    'HOOK_LOADED',
    `Hook "${slot.name}" is loaded already: give its options before that.`,
  );
}

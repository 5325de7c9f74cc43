import type { HooklineError } from '@hookline/hook-api';
import type { DiscoveredPackage } from '../discovery/discovery.js';
import { packageLabel } from '../discovery/package-label.js';
import { discoveryError, duplicateHook, optionsForInstance } from '../errors.js';
import { type RegistryItem, whereFrom } from './registry-item.js';

/** Does to an item what the user says of it: `true`, `false` or options. */
export function tuneItem(item: RegistryItem, setting: unknown): void {
  if (setting === false) {
    item.enabled = false;
    item.reason = 'Switched off.';
    return;
  }
  if (item.origin.from === 'barred') throw rejected(item.origin.package);
  if (item.replaced) throw duplicateHook(item.name, 'your code', whereFrom(item));
  if (setting !== true) item.options = optionsFor(item, setting);
  item.enabled = true;
  item.reason = '';
}

export function rejected(plugin: DiscoveredPackage): HooklineError {
  return discoveryError(
    'PLUGIN_REJECTED',
    `${packageLabel(plugin)} (${plugin.dir}) cannot be used: ${plugin.reasons.join(' ')}`,
  );
}

function optionsFor(item: RegistryItem, setting: unknown): object {
  if (Array.isArray(setting)) {
    throw discoveryError(
      'HOOKS_OPTION',
      `Hook "${item.name}" is set to a list, expected true, false or an object with its options. ` +
        `To run it several times, name it several times in the list of hooks: [["${item.name}", {...}], ["${item.name}", {...}]].`,
    );
  }
  if (typeof setting !== 'object' || setting === null) {
    throw discoveryError(
      'HOOKS_OPTION',
      `Hook "${item.name}" is set to ${JSON.stringify(setting)}, expected true, false or an object with its options.`,
    );
  }
  if (item.origin.from === 'instance') throw optionsForInstance(item.name);
  if (item.hook === undefined) return setting;
  throw discoveryError(
    'HOOK_LOADED',
    `Hook "${item.name}" is loaded already: give it its options before that, or add another instance of it with addHook(["${item.slot ?? item.name}", {...}]).`,
  );
}

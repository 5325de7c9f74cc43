import { discoveryError, duplicateHook } from '../errors.js';
import { anotherOf, slotOf } from './instances.js';
import { type RegistryItem, whereFrom } from './registry-item.js';

/** Of the items that a name stands for, those that a setting is for. A package's name means what is on by itself. */
export function itemsToTune(name: string, found: RegistryItem[], setting: unknown): RegistryItem[] {
  if (found.length <= 1 || setting === false) return found;
  if (setting === true) {
    if (oneOfEachHook(found).length === 1) return found;
    const automatic = found.filter(({ origin }) => origin.from === 'plugin' && origin.hook.autoload);
    if (automatic.length > 0) return automatic;
  }
  const names = found.map((item) => item.name).join(', ');
  throw discoveryError(
    'AMBIGUOUS_HOOK',
    `"${name}" stands for several hooks: ${names}. Name the one you mean.`,
  );
}

/**
 * What gets the next place in the list: the installed hook the first time that it is named there, another instance
 * of it after that. Whoever names a package twice is told, because a package may stand for several hooks.
 */
export function itemsToList(
  name: string,
  found: RegistryItem[],
  setting: unknown,
  known: readonly RegistryItem[],
): RegistryItem[] {
  return itemsToTune(name, oneOfEachHook(found), setting).map((item) => {
    const isListed = item.source === 'code' && known.includes(item);
    const isLoaded = item.hook !== undefined && typeof setting === 'object';
    if (!isListed && !isLoaded) return item;
    const isMeant = name === slotOf(item) || Object.hasOwn(Object(setting), 'name');
    if (item.origin.from === 'plugin' && isMeant) return anotherOf(item, known);
    if (!isListed) return item;
    throw duplicateHook(item.name, whereFrom(item), `the second "${name}" of the list`);
  });
}

/** One item for each hook; of several instances, one that is not in the list yet. */
function oneOfEachHook(items: readonly RegistryItem[]): RegistryItem[] {
  const byHook = new Map<unknown, RegistryItem>();
  for (const item of items) {
    const hook = item.origin.from === 'plugin' ? slotOf(item) : item;
    if (!byHook.has(hook) || item.source === 'plugin') byHook.set(hook, item);
  }
  return [...byHook.values()];
}

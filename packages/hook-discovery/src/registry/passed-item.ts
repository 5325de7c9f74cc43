import type { Hook } from '@hookline/hook-api';
import { checkHook } from '../discovery/check-hook.js';
import type { HookMaker } from '../discovery/make-hooks.js';
import { wrongKey } from '../errors.js';
import type { HookOptions } from './hooks-option.js';
import { newItem, type RegistryItem } from './registry-item.js';
import { tuneItem } from './tune-item.js';

/** An item for what was passed as a value: in a map under `key`, in a list at `index` among what is in code. */
export function passedItem(
  what: Hook | HookMaker,
  setting: HookOptions | boolean,
  place: { key: string } | { index: () => number },
): RegistryItem {
  const key = 'key' in place ? place.key : undefined;
  let item: RegistryItem;
  if (typeof what === 'function') {
    const name = 'index' in place ? what.name || `hooks[${place.index()}]` : place.key;
    item = newItem(name, 'code', { from: 'maker', make: what, mustMake: key });
  } else {
    checkHook(what);
    if (key !== undefined && key !== what.name) throw wrongKey(key, what.name);
    item = newItem(what.name, 'code', { from: 'instance' }, { hook: what });
  }
  tuneItem(item, setting);
  return item;
}

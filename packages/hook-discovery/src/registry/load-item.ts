import type { Hook } from '@hookline/hook-api';
import { importFromFile } from '#host';
import { loadHook } from '../discovery/load-hook.js';
import { checkHooks, type HookMaker, makeHooks } from '../discovery/make-hooks.js';
import { optionsForInstance, wrongKey } from '../errors.js';
import type { RegistryItem } from './registry-item.js';
import { rejected } from './tune-item.js';

/** Makes the item's hooks; factories may make several. */
export async function loadItem(item: RegistryItem): Promise<Hook[]> {
  const { name, origin, options } = item;
  switch (origin.from) {
    case 'plugin':
      return loadHook(origin.package, origin.hook, options);
    case 'barred':
      throw rejected(origin.package);
    case 'maker':
      return named(origin.mustMake, await makeHooks(origin.make, options, name));
    case 'file': {
      const exported = await importFromFile(origin.path, origin.export, name);
      if (typeof exported === 'function') return makeHooks(exported as HookMaker, options, name);
      if (options !== undefined) throw optionsForInstance(name);
      return checkHooks(exported, name);
    }
    case 'instance':
      return item.hook ? [item.hook] : [];
  }
}

/** What was passed under a key of a map must have that name. */
function named(key: string | undefined, hooks: Hook[]): Hook[] {
  if (key === undefined || hooks.some(({ name }) => name === key)) return hooks;
  throw wrongKey(key, hooks.map(({ name }) => name).join(', '));
}

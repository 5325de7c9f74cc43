import { duplicateHook } from '../errors.js';
import type { ItemList } from './item-list.js';
import { packageOf, type RegistryItem, whereFrom } from './registry-item.js';

/**
 * The items that a name stands for. The hook's name comes first, and the user's hook before an installed one; then the
 * hook that items are instances of; then the package. A barred package is found by the hooks that it would have.
 */
export function findItems(list: ItemList, name: string): RegistryItem[] {
  const named = list.of(name).filter(({ replaced }) => !replaced);
  const inCode = named.filter(({ source }) => source === 'code');
  if (inCode.length > 0) return inCode;
  if (named.length > 0) return named;
  const items = list.all();
  const instances = items.filter(({ slot }) => slot === name);
  if (instances.length > 0) return instances;
  const ofPackage = items.filter((item) => packageOf(item)?.name === name);
  if (ofPackage.length > 0) return ofPackage;
  return items.filter(
    ({ origin }) => origin.from === 'barred' && origin.package.hooks.some((hook) => hook.name === name),
  );
}

/**
 * Lets the user's hooks replace installed ones of the same name, and returns those that were not replaced before. Any
 * other two hooks of one name are an error, and then nothing is changed.
 */
export function settleNames(items: readonly RegistryItem[]): RegistryItem[] {
  const replaced = new Set<RegistryItem>();
  const owners = new Map<string, RegistryItem>();
  for (const item of items.filter(hasFinalName)) {
    const rival = owners.get(item.name);
    const loser = rival && [rival, item].find((each) => canBeReplaced(each));
    const winner = loser === item ? rival : item;
    if (rival && (!loser || packageOf(winner!))) {
      throw duplicateHook(item.name, whereFrom(rival), whereFrom(item));
    }
    owners.set(item.name, winner!);
    if (loser) replaced.add(loser);
  }
  const fresh = [...replaced].filter((item) => !item.replaced);
  for (const item of items) item.replaced = replaced.has(item);
  return fresh;
}

/** On only because it is installed: the user has not put it into the list. */
function canBeReplaced(item: RegistryItem): boolean {
  return item.source === 'plugin' && packageOf(item) !== undefined;
}

function hasFinalName({ hook, origin }: RegistryItem): boolean {
  return (
    hook !== undefined ||
    origin.from === 'plugin' ||
    (origin.from === 'maker' && origin.mustMake !== undefined)
  );
}

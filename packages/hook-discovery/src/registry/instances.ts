import type { Hook } from '@hookline/hook-api';
import { builtInOwner } from '../built-in-packages.js';
import { discoveryError, duplicateHook } from '../errors.js';
import { type RegistryItem, whereFrom } from './registry-item.js';

/** The name that the user gave an instance of an installed hook, and the options that are the hook's. */
export interface NamedSetting {
  name: string | undefined;
  setting: unknown;
}

/**
 * Takes `name` out of the options of an installed hook: it is the registry's. A class, a factory or a file of the
 * user gets its options as they are, because it names its hooks itself.
 */
export function splitName({ origin }: RegistryItem, setting: unknown): NamedSetting {
  if (origin.from !== 'plugin' || typeof setting !== 'object' || setting === null || !('name' in setting)) {
    return { name: undefined, setting };
  }
  const { name, ...options } = setting;
  if (name === undefined) return { name, setting: options };
  if (typeof name === 'string' && /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    return { name, setting: options };
  }
  throw discoveryError(
    'HOOK_NAME',
    `Hook "${origin.hook.name}" is given the name ${JSON.stringify(name)}; expected lowercase words joined by hyphens, such as "${origin.hook.name}-2".`,
  );
}

/** Throws when an item cannot have this name. */
export function checkName(item: RegistryItem, name: string, items: readonly RegistryItem[]): void {
  const hook = slotOf(item);
  const owner = builtInOwner(name);
  if (owner !== undefined && name !== hook) {
    throw discoveryError(
      'HOOK_NAME',
      `Hook "${hook}" cannot be named "${name}": that name belongs to ${owner}.`,
    );
  }
  const rival = items.find((other) => other !== item && other.name === name);
  if (rival) throw duplicateHook(name, whereFrom(rival), `the instance of "${hook}" with that name`);
}

/** Lets an item run under another name, in its old place in the order. */
export function giveName(item: RegistryItem, name: string): void {
  const hook = slotOf(item);
  item.name = name;
  item.slot = name === hook ? undefined : hook;
}

/** Another instance of an installed hook, under the first name that is free: `ema`, `ema-2`, `ema-3`. */
export function anotherOf(item: RegistryItem, items: readonly RegistryItem[]): RegistryItem {
  const hook = slotOf(item);
  const taken = new Set(items.map((other) => other.name));
  let name = hook;
  for (let count = 2; taken.has(name); count++) name = `${hook}-${count}`;
  // The origin is copied because it tells the instances apart.
  const instance = { ...item, origin: { ...item.origin }, options: undefined, hook: undefined };
  giveName(instance, name);
  return instance;
}

/** The installed hook that an item is an instance of; the hook itself under its name. */
export function slotOf({ name, slot = name }: RegistryItem): string {
  return slot;
}

/**
 * Gives the hook that was made for an instance the instance's name. The object stays what it is, so that `this` and
 * private fields of a class keep working.
 */
export function nameInstance(
  item: RegistryItem,
  hooks: readonly Hook[],
  others: readonly RegistryItem[],
): void {
  if (item.slot === undefined) return;
  const refuse = (why: string) =>
    discoveryError(
      'HOOK_NAME',
      `${whereFrom(item)}, hook "${item.slot}" cannot run as "${item.name}": ${why}`,
    );
  const [hook, ...more] = hooks;
  if (!hook || more.length > 0) {
    const names = hooks.map(({ name }) => `"${name}"`).join(', ');
    throw refuse(`it makes several hooks, ${names}. Run it once, under its own name.`);
  }
  const owner = others.find((other) => other.hook === hook);
  if (owner) {
    throw refuse(
      `its factory returned the object that runs as "${owner.name}". It must make a new one each time.`,
    );
  }
  if (!Reflect.defineProperty(hook, 'name', { value: item.name })) {
    throw refuse(
      'its name cannot be changed, because the object is frozen. Run it once, under its own name.',
    );
  }
}

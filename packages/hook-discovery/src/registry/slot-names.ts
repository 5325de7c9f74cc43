import { HooklineError } from '@hookline/hook-api';
import { packageOf, type Slot, whereFrom } from './slot.js';

/**
 * The slots that a name stands for. The hook's own name comes first and the user's hook before an installed
 * one, then the package's name; a barred package is found by the hooks it would have brought.
 */
export function findSlots(slots: readonly Slot[], name: string): Slot[] {
  const named = slots.filter((slot) => slot.name === name && !slot.replaced);
  const inCode = named.filter(({ source }) => source === 'code');
  if (inCode.length > 0) return inCode;
  if (named.length > 0) return named;
  const ofPackage = slots.filter((slot) => packageOf(slot)?.name === name);
  if (ofPackage.length > 0) return ofPackage;
  return slots.filter(
    ({ origin }) => origin.from === 'barred' && origin.package.hooks.some((hook) => hook.name === name),
  );
}

/** Lets the user's hooks replace installed ones of the same name; any other two of one name are an error. */
export function settleNames(slots: readonly Slot[]): void {
  const owners = { code: new Map<string, Slot>(), plugin: new Map<string, Slot>() };
  for (const slot of slots.filter(hasFinalName)) {
    const rival = owners[slot.source].get(slot.name);
    if (rival) throw duplicateHook(slot.name, whereFrom(rival), whereFrom(slot));
    owners[slot.source].set(slot.name, slot);
  }
  for (const slot of owners.plugin.values()) slot.replaced = owners.code.has(slot.name);
}

export function duplicateHook(name: string, first: string, second: string): HooklineError {
  return new HooklineError(
    'DUPLICATE_HOOK',
    `Two hooks are named "${name}": one from ${first}, one from ${second}. ` +
      'State is saved by name: give one of them another name, or leave it out.',
  );
}

function hasFinalName({ hook, origin }: Slot): boolean {
  return (
    hook !== undefined ||
    origin.from === 'plugin' ||
    (origin.from === 'maker' && origin.mustMake !== undefined)
  );
}

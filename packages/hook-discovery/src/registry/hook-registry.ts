import { resolve } from 'node:path';
import { assertHook, type Hook, HooklineError, type HookSource, orderHooks } from '@hookline/hook-api';
import { type DiscoverOptions, type Discovery, discoverHooks } from '../discovery/discover-hooks.js';
import { isDiscoveryOff } from '../discovery/discovery-switch.js';
import type { HookMaker } from '../discovery/make-hooks.js';
import { builtInOwner } from '../discovery/name-claims.js';
import { pluginsFailed } from '../discovery/plugins-failed.js';
import { findProjectRoot } from '../discovery/project-root.js';
import type { HookItem, HookName, HookOptions, HookSetting, HooksOption, HookThing } from './hooks-option.js';
import { entryOf, type RegistryEntry } from './registry-entry.js';
import { fileSlot, loadSlot, newSlot, pluginSlots, type Slot, whereFrom, wrongName } from './slot.js';
import { duplicateHook, findSlots, settleNames } from './slot-names.js';
import { rejected, tuneSlot } from './tune-slot.js';
import { unknownHook } from './unknown-hook.js';

export interface RegistryOptions {
  /** Which hooks run, beside those that are on because they are installed. */
  hooks?: HooksOption;
  /** `false`: installed hooks are on only when `hooks` names them. An object says where to look. */
  discover?: boolean | DiscoverOptions;
  /** Where the project is: the nearest package.json at or above. The working directory by default. */
  root?: string;
}

export interface LoadedHook {
  hook: Hook;
  source: HookSource;
  enabled: boolean;
}

/**
 * Joins the hooks found in the project's dependencies with what the user says. Making one reads package.json
 * files only; plugin code runs in `load`.
 */
export class HookRegistry {
  /** The project's folder. */
  readonly root: string;
  readonly #search: DiscoverOptions;
  #discovery: Discovery | undefined;
  #slots: Slot[] = [];
  /** Installed, but not on by themselves: read only when a name is looked up while discovery is off. */
  #offered: Slot[] | undefined;
  #loading: Promise<unknown> = Promise.resolve();

  constructor({ hooks = [], discover = true, root }: RegistryOptions = {}) {
    const search = typeof discover === 'object' ? discover : {};
    const start = search.root ?? root ?? process.cwd();
    this.root = findProjectRoot(start) ?? resolve(start);
    this.#search = { ...search, root: this.root };
    if (discover !== false && !isDiscoveryOff()) {
      this.#slots = this.#discover();
      this.#offered = [];
    }
    if (isList(hooks)) for (const item of hooks) this.add(item);
    else if (typeof hooks === 'object' && hooks !== null && !isHook(hooks)) {
      for (const [name, setting] of Object.entries(hooks)) this.use(name, setting);
    } else {
      throw new HooklineError(
        'HOOKS_OPTION',
        'hooks is neither a list nor a map. Put a single hook into a list: [hook].',
      );
    }
  }

  /** What was found in the dependencies, warnings included; undefined while discovery is off. */
  get discovery(): Discovery | undefined {
    return this.#discovery;
  }

  /** Every hook that is known, in the order in which they run; those that are off have a reason. */
  entries(): RegistryEntry[] {
    return orderHooks(this.#slots).map(entryOf);
  }

  /**
   * Takes an item as in the `hooks` list, and returns how to remove it. An installed hook named here gets its place in
   * the list's order.
   */
  add(item: HookItem): () => void {
    if (item === false || item === null || item === undefined) return () => {};
    const [what, setting = true] = isList(item) ? (item as readonly [HookThing, boolean?]) : [item];
    const added = typeof what === 'string' ? this.#list(what, setting) : [this.#pass(what, setting)];
    // Slots are replaced when their hooks are made; where they come from stays.
    const origins = new Set(added.map(({ origin }) => origin));
    return () => this.#drop((slot) => origins.has(slot.origin));
  }

  /** Tunes one hook, as in the `hooks` map. Order stays as it is. */
  use(name: HookName, setting: HookSetting): void {
    if (setting === undefined) return;
    if (typeof setting === 'function' || isHook(setting)) {
      this.#pass(setting, true, name);
      return;
    }
    for (const slot of this.#named(name, setting)) {
      tuneSlot(slot, setting);
      if (!this.#slots.includes(slot)) this.#slots.push(slot);
    }
  }

  enable(name: HookName): void {
    this.use(name, true);
  }

  /** A disabled hook stays in the registry and is not imported. */
  disable(name: HookName): void {
    this.use(name, false);
  }

  /** Takes a hook out of the registry, a package's hooks with the package's name. */
  remove(name: HookName): void {
    const gone = this.#find(name);
    if (gone.length === 0) throw this.#unknown(name);
    this.#drop((slot) => gone.includes(slot));
  }

  #drop(isGone: (slot: Slot) => boolean): void {
    this.#slots = this.#slots.filter((slot) => !isGone(slot));
    this.#offered = this.#offered?.filter((slot) => !isGone(slot));
    settleNames(this.#slots);
  }

  /**
   * Imports and makes every enabled hook that is not there yet, and returns all that are, in the order in which
   * they run. Throws once, with everything that went wrong.
   */
  load(): Promise<LoadedHook[]> {
    const run = this.#loading.then(() => this.#load());
    this.#loading = run.catch(() => undefined);
    return run;
  }

  async #load(): Promise<LoadedHook[]> {
    const failures: { slot: Slot; error: HooklineError }[] = [];
    // The user's own first: only their names tell which plugins they replace.
    for (const source of ['code', 'plugin'] as const) {
      for (const slot of this.#slots.filter((slot) => slot.source === source && isWanted(slot))) {
        try {
          if (slot.origin.from === 'barred') throw rejected(slot.origin.package);
          this.#put(slot, await loadSlot(slot));
        } catch (error) {
          failures.push({ slot, error: error as HooklineError });
        }
      }
      settleNames(this.#slots);
    }
    if (failures.length > 0) {
      const optional = failures.filter(({ slot }) => slot.source === 'plugin').map(({ slot }) => slot.name);
      throw pluginsFailed(
        failures.map(({ error }) => error),
        optional,
      );
    }
    return orderHooks(this.#slots).flatMap(({ hook, source, enabled, replaced }) =>
      hook && !replaced ? [{ hook, source, enabled }] : [],
    );
  }

  /** What a slot made takes its place: one slot for each hook. */
  #put(slot: Slot, hooks: readonly Hook[]): void {
    const made = hooks.map((hook) => ({ ...slot, name: hook.name, hook }));
    this.#slots = this.#slots.flatMap((other) => (other === slot ? made : [other]));
  }

  /** Gives what a name stands for the next place in the list. */
  #list(name: string, setting: HookOptions | boolean): Slot[] {
    const slots = this.#named(name, setting);
    for (const slot of slots) {
      if (slot.source === 'code' && this.#slots.includes(slot)) {
        throw duplicateHook(slot.name, whereFrom(slot), `the second "${name}" of the list`);
      }
      tuneSlot(slot, setting);
      slot.source = 'code';
      this.#slots = [...this.#slots.filter((other) => other !== slot), slot];
    }
    return slots;
  }

  /** Adds what was passed as a value; `key` is its name in a map. */
  #pass(what: Hook | HookMaker, setting: HookOptions | boolean, key?: string): Slot {
    let slot: Slot;
    if (typeof what === 'function') {
      const name =
        key ?? (what.name || `hooks[${this.#slots.filter(({ source }) => source === 'code').length}]`);
      slot = newSlot(name, 'code', { from: 'maker', make: what, mustMake: key });
    } else {
      assertHook(what);
      if (key !== undefined && key !== what.name) throw wrongName(key, what.name);
      slot = newSlot(what.name, 'code', { from: 'instance' }, { hook: what });
    }
    tuneSlot(slot, setting);
    const next = [...this.#slots, slot];
    settleNames(next);
    this.#slots = next;
    return slot;
  }

  /** The slots that a name stands for; a package's name stands for the hooks that are on by themselves. */
  #named(name: string, setting: HookSetting): Slot[] {
    const found = this.#find(name);
    if (found.length === 0) {
      const file = fileSlot(name, this.root);
      if (file) return [file];
      // To switch off what could be there, but is not, is no mistake.
      if (setting === false && builtInOwner(name) !== undefined) return [];
      throw this.#unknown(name);
    }
    if (found.length === 1 || setting === false) return found;
    const automatic = found.filter(({ origin }) => origin.from === 'plugin' && origin.hook.autoload);
    if (setting === true && automatic.length > 0) return automatic;
    const names = found.map((slot) => slot.name).join(', ');
    throw new HooklineError(
      'AMBIGUOUS_HOOK',
      `"${name}" stands for several hooks: ${names}. Name the one you mean.`,
    );
  }

  #find(name: string): Slot[] {
    const found = findSlots(this.#slots, name);
    if (found.length > 0 || fileSlot(name, this.root)) return found;
    this.#offered ??= this.#discover().map((slot) => ({
      ...slot,
      enabled: false,
      reason: 'Discovery is off.',
    }));
    return findSlots(this.#offered, name);
  }

  #discover(): Slot[] {
    this.#discovery = discoverHooks(this.#search);
    return this.#discovery.packages.flatMap(pluginSlots);
  }

  #unknown(name: string): HooklineError {
    return unknownHook(
      name,
      [...this.#slots, ...(this.#offered ?? [])].map((slot) => slot.name),
      this.root,
    );
  }
}

function isWanted({ enabled, replaced, hook }: Slot): boolean {
  return enabled && !replaced && hook === undefined;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Tells a hook from options that happen to have a `name`: a hook has methods, or a class. */
function isHook(value: object | boolean): value is Hook {
  if (typeof value !== 'object' || value === null || !('name' in value)) return false;
  if (Object.getPrototypeOf(value) !== Object.prototype) return true;
  return Object.entries(value).some(
    ([key, method]) => typeof method === 'function' && /^((on|transform)[A-Z]|setup$|teardown$)/.test(key),
  );
}

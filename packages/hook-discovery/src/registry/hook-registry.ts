import {
  type Hook,
  type HookKind,
  type HooklineError,
  type HookSource,
  orderHooks,
} from '@hookline/hook-api';
import { looksLikeHook, messageOf } from '@hookline/hook-api/helpers';
import { discoverHooks, findProject, isDiscoveryOff, unknownHook } from '#host';
import { builtInOwner } from '../built-in-packages.js';
import type { DiscoverOptions } from '../discovery/discover-hooks.js';
import type { Discovery } from '../discovery/discovery.js';
import type { Project } from '../discovery/find-project.js';
import { discoveryError, pluginsFailed, refusePromise } from '../errors.js';
import type { HookItem, HookName, HookOptions, HookSetting, HooksOption, HookThing } from './hooks-option.js';
import { checkName, giveName, nameInstance, slotOf, splitName } from './instances.js';
import { ItemList } from './item-list.js';
import { findItems, settleNames } from './item-names.js';
import { itemsToList, itemsToTune } from './items-meant.js';
import { loadItem } from './load-item.js';
import { type OptionProblem, optionProblems } from './option-problems.js';
import { passedItem } from './passed-item.js';
import { entryOf, isOn, type RegistryEntry } from './registry-entry.js';
import { fileItem, pluginItems, type RegistryItem } from './registry-item.js';
import { tuneItem } from './tune-item.js';

export interface RegistryOptions {
  /** Which hooks run, beside those that are on because they are installed. */
  hooks?: HooksOption;
  /** `false`: installed hooks are on only when `hooks` names them. An object says where to look. */
  discover?: boolean | DiscoverOptions;
  /**
   * Where the project is: the nearest package.json at or above. By default that of the script that runs, or of the
   * working directory.
   */
  root?: string;
}

export interface LoadedHook {
  hook: Hook;
  source: HookSource;
  enabled: boolean;
  /** The hook whose place in the order it has: its own name, or that of the hook it is an instance of. */
  slot: string;
}

/** Is told what becomes of hooks that are made already, so that a run in progress can follow. */
export interface RegistryFollower {
  /** A hook object was passed. Those that are made in `load` are not announced. */
  added(loaded: LoadedHook): void;
  /** The user said that it is on or off, whether or not it was before. */
  switched(hook: Hook, on: boolean): void;
  /** It was removed, or replaced by the user's hook of the same name. */
  removed(hook: Hook): void;
}

/**
 * Joins the hooks found in the project's dependencies with what the user says, and knows alone which of them are
 * switched on. Making one reads package.json files only; plugin code runs in `load`.
 */
export class HookRegistry {
  /** The project's folder. */
  readonly root: string;
  readonly #project: Project;
  readonly #search: DiscoverOptions;
  #discovery: Discovery | undefined;
  readonly #items = new ItemList();
  /** Installed, but on only when named: read only when a name is looked up while discovery is off. */
  #offered: ItemList | undefined;
  #loading: Promise<unknown> = Promise.resolve();
  #follower: RegistryFollower | undefined;

  constructor({ hooks = [], discover = true, root }: RegistryOptions = {}) {
    const search = typeof discover === 'object' ? discover : {};
    this.#project = findProject(search.root ?? root);
    this.root = this.#project.root;
    this.#search = { ...search, root: this.root };
    if (discover !== false && !isDiscoveryOff()) {
      this.#items.append(this.#discover());
      this.#offered = new ItemList();
    }
    refusePromise(hooks, 'hooks');
    if (isList(hooks)) this.#addAll(hooks);
    else if (typeof hooks === 'object' && hooks !== null && !looksLikeHook(hooks)) {
      for (const [name, setting] of Object.entries(hooks)) this.use(name, setting as HookSetting);
    } else {
      throw discoveryError(
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
    return orderHooks(this.#items.all()).map(entryOf);
  }

  /** The hooks of a kind, on or off, as far as their manifest says so or they are loaded. Imports nothing. */
  byKind(kind: HookKind): RegistryEntry[] {
    return this.entries().filter(({ kinds }) => kinds.includes(kind));
  }

  /** Whether a hook that is made is switched on. */
  isOn(hook: Hook): boolean {
    return this.#items.of(hook.name).some((item) => item.hook === hook && isOn(item));
  }

  /** Tells `follower`, from now on, of every change to hooks that are made. There is one follower. */
  follow(follower: RegistryFollower): void {
    this.#follower = follower;
  }

  /**
   * Takes an item as in the `hooks` list, and returns how to remove it. An installed hook gets its place in the list's
   * order the first time it is named, and another instance each time after that.
   */
  add(item: HookItem): () => void {
    const inCode = () => this.#items.all().filter(({ source }) => source === 'code').length;
    const added = this.#addAll([item], inCode);
    // Items are replaced when their hooks are made; where they come from stays.
    const origins = added.map(({ origin }) => origin);
    return () => this.#drop(origins.flatMap((origin) => this.#items.of(origin)));
  }

  /** Tunes one hook, as in the `hooks` map. Order stays as it is. */
  use(name: HookName, setting: HookSetting): void {
    if (setting === undefined) return;
    refusePromise(setting, `hooks["${name}"]`);
    if (typeof setting === 'function' || looksLikeHook(setting)) {
      this.#join([passedItem(setting, true, { key: name })]);
      return;
    }
    for (const item of itemsToTune(name, this.#find(name, setting), setting)) {
      this.#tune(item, setting);
      if (!this.#items.of(item.name).includes(item)) this.#items.append([item]);
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
    const gone = this.#lookUp(name);
    if (gone.length === 0) throw this.#unknown(name);
    this.#drop(gone);
  }

  /**
   * What is wrong with the options of hooks that are on, or with loading them, for a check of a whole configuration.
   * Imports the hooks, and makes none.
   */
  async problems(): Promise<OptionProblem[]> {
    const wanted = this.#items.all().filter(isWanted);
    const found = await Promise.all(
      wanted.map((item) =>
        optionProblems(item).catch((error): OptionProblem[] => [
          { hook: item.name, path: [], message: messageOf(error) },
        ]),
      ),
    );
    return found.flat();
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
    const failures: { item: RegistryItem; error: HooklineError }[] = [];
    // The user's own first: only their names tell which plugins they replace.
    for (const source of ['code', 'plugin'] as const) {
      for (const item of this.#items.all().filter((item) => item.source === source && isWanted(item))) {
        try {
          const hooks = await loadItem(item);
          nameInstance(item, hooks, this.#items.all());
          this.#put(item, hooks);
        } catch (error) {
          failures.push({ item, error: error as HooklineError });
        }
      }
      this.#settle(this.#items.all());
    }
    if (failures.length > 0) {
      const optional = failures.filter(({ item }) => item.source === 'plugin').map(({ item }) => item.name);
      throw pluginsFailed(
        failures.map(({ error }) => error),
        optional,
      );
    }
    return orderHooks(this.#items.all()).flatMap((item) => loadedHook(item) ?? []);
  }

  /** What an item made takes its place: one item for each hook. */
  #put(item: RegistryItem, hooks: readonly Hook[]): void {
    // It may have been removed while its code was loaded: then nothing takes its place.
    this.#items.replace(
      item,
      hooks.map((hook) => ({ ...item, name: hook.name, hook })),
    );
  }

  /** Gives what a name stands for the next place in the list. */
  #list(name: string, setting: HookOptions | boolean): RegistryItem[] {
    const items = itemsToList(name, this.#find(name, setting), setting, this.#known());
    for (const item of items) {
      this.#tune(item, setting);
      item.source = 'code';
      this.#items.remove([item]);
      this.#items.append([item]);
    }
    return items;
  }

  /**
   * The names of everything that was passed are settled together: one by one, a list of 5,000 hooks took seconds. What a
   * name in the list stands for depends on the hooks before it.
   */
  #addAll(list: readonly HookItem[], start: () => number = () => 0): RegistryItem[] {
    const added: RegistryItem[] = [];
    let passed: RegistryItem[] = [];
    for (const [index, item] of list.entries()) {
      if (item === false || item === null || item === undefined) continue;
      const [what, setting = true] = isList(item) ? (item as readonly [HookThing, boolean?]) : [item];
      for (const each of [what, setting]) refusePromise(each, 'One of the hooks');
      if (typeof what !== 'string') {
        passed.push(passedItem(what, setting, { index: () => start() + index }));
        continue;
      }
      this.#join(passed);
      added.push(...passed, ...this.#list(what, setting));
      passed = [];
    }
    this.#join(passed);
    return [...added, ...passed];
  }

  /** Gives what was passed its place. */
  #join(passed: readonly RegistryItem[]): void {
    const namesakes = new Set(passed.flatMap(({ name }) => this.#items.of(name)));
    const replaced = settleNames([...namesakes, ...passed]);
    this.#items.append(passed);
    this.#tellOf(replaced);
    for (const item of passed) {
      const loaded = loadedHook(item);
      if (loaded) this.#follower?.added(loaded);
    }
  }

  #tune(item: RegistryItem, given: unknown): void {
    const { name, setting } = splitName(item, given);
    if (name !== undefined) checkName(item, name, this.#items.of(name));
    tuneItem(item, setting);
    if (name !== undefined) {
      giveName(item, name);
      this.#items.renamed();
      this.#offered?.renamed();
    }
    if (item.hook) this.#follower?.switched(item.hook, item.enabled);
  }

  #drop(gone: readonly RegistryItem[]): void {
    this.#offered?.remove(gone);
    this.#items.remove(gone);
    // What they replaced is back.
    const names = new Set(gone.map(({ name }) => name));
    this.#settle([...names].flatMap((name) => this.#items.of(name)));
    this.#tellOf(gone);
  }

  #settle(items: readonly RegistryItem[]): void {
    this.#tellOf(settleNames(items));
  }

  #tellOf(removed: readonly RegistryItem[]): void {
    for (const { hook } of removed) if (hook) this.#follower?.removed(hook);
  }

  /** The items that a name stands for, or a new one for a file. */
  #find(name: string, setting: HookSetting): RegistryItem[] {
    const found = this.#lookUp(name);
    if (found.length > 0) return found;
    const file = fileItem(name, this.root);
    if (file) return [file];
    // Switching off a built-in that is not installed is not a mistake.
    if (setting === false && builtInOwner(name) !== undefined) return [];
    throw this.#unknown(name);
  }

  #lookUp(name: string): RegistryItem[] {
    const found = findItems(this.#items, name);
    if (found.length > 0 || fileItem(name, this.root)) return found;
    if (!this.#offered) {
      this.#offered = new ItemList();
      const off = { enabled: false, reason: 'Discovery is off.' };
      this.#offered.append(this.#discover().map((item) => ({ ...item, ...off })));
    }
    return findItems(this.#offered, name);
  }

  #discover(): RegistryItem[] {
    this.#discovery = { ...discoverHooks(this.#search), looked: this.#project.looked };
    return this.#discovery.packages.flatMap(pluginItems);
  }

  #unknown(name: string): HooklineError {
    const names = this.#known().map((item) => item.name);
    return unknownHook(name, names, this.#project);
  }

  #known(): RegistryItem[] {
    return [...new Set([...this.#items.all(), ...(this.#offered?.all() ?? [])])];
  }
}

function isWanted({ enabled, replaced, hook }: RegistryItem): boolean {
  return enabled && !replaced && hook === undefined;
}

function loadedHook(item: RegistryItem): LoadedHook | undefined {
  const { hook, source, enabled, replaced } = item;
  return hook && !replaced ? { hook, source, enabled, slot: slotOf(item) } : undefined;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

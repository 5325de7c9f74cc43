import { EVENTS, type EventName, type Hook, type HookCost, HookManager } from '@hookline/hook-api';
import type {
  HookItem,
  HookName,
  HookRegistry,
  HookSetting,
  HookSettingOf,
  LoadedHook,
  RegistryEntry,
} from '@hookline/hook-discovery';

/**
 * The hooks of a trainer. They can be listed, tuned and switched before any of their code is loaded, and added,
 * removed and switched during a run. Which of them are on is the registry's to know; it tells this class of every
 * change, and this class tells the manager, which calls the hooks.
 */
export class TrainerHooks {
  /** Calls the hooks that are loaded. */
  readonly manager: HookManager = new HookManager();
  /** Not called in this run whatever their switch says. */
  readonly #resting = new Set<Hook>();

  constructor(
    private readonly registry: HookRegistry,
    private readonly isRunning: () => boolean,
  ) {
    registry.follow({
      added: (loaded) => this.#joinRun(loaded),
      switched: (hook, on) => this.#switch(hook, on),
      removed: (hook) => this.#forget(hook),
    });
  }

  /**
   * A hook, class, factory or name, alone or with options. A hook object takes part from the next event on. Returns
   * how to remove it again.
   */
  add(item: HookItem): () => void {
    return this.registry.add(item);
  }

  /** Tunes installed hooks by name or package: options, `true` or `false`. Options take effect when they are loaded. */
  use<Name extends HookName>(name: Name, setting: HookSettingOf<Name>): void {
    this.registry.use(name, setting as HookSetting);
  }

  remove(name: HookName): void {
    this.registry.remove(name);
  }

  /** Also gives a hook that failed too often another chance. */
  enable(name: HookName): void {
    this.registry.enable(name);
  }

  /** It stays in the list and keeps its state, but is not called. */
  disable(name: HookName): void {
    this.registry.disable(name);
  }

  /** Every hook that is known, in the order in which they run; those that are off have a reason. */
  list(): RegistryEntry[] {
    const silent = new Set(this.#silent());
    return this.registry.entries().map((entry) => {
      if (!entry.enabled || !silent.has(entry.name)) return entry;
      const isResting = this.#resting.has(this.manager.get(entry.name)!);
      const reason = isResting
        ? 'Off in a fastDevRun, because it writes or sends something.'
        : 'It failed too often.';
      return { ...entry, enabled: false, status: 'disabled', reason };
    });
  }

  /** Keeps some hooks out of one run; returns how to let them take part again. */
  resting(rests: (hook: Hook) => boolean): () => void {
    for (const { name, enabled } of this.manager.list()) {
      const hook = this.manager.get(name)!;
      if (!enabled || !rests(hook)) continue;
      this.#resting.add(hook);
      this.manager.disable(name);
    }
    return () => {
      const rested = [...this.#resting];
      this.#resting.clear();
      // The user may have switched or removed them meanwhile.
      for (const hook of rested) this.#switch(hook, this.registry.isOn(hook));
    };
  }

  costs(): HookCost[] {
    return this.manager.costs();
  }

  /** Imports what is on and not loaded yet. A hook that failed too often in an earlier run gets another chance. */
  async load(): Promise<void> {
    const loaded = await this.registry.load();
    this.#makeRoom(loaded);
    const silent = new Set(this.#silent());
    for (const { hook, ...place } of loaded) {
      if (this.manager.get(hook.name) !== hook) this.manager.add(hook, place);
      else if (place.enabled && silent.has(hook.name)) this.#switch(hook, true);
    }
  }

  /**
   * Takes out the hooks behind the first that is new, so that all can be added in their order: a hook may be switched
   * on later than others that run after it. Not while hooks are set up: then new ones go last until the next run.
   */
  #makeRoom(loaded: readonly LoadedHook[]): void {
    if (this.manager.listeners(...(Object.keys(EVENTS) as EventName[])).length > 0) return;
    const names = this.manager.list().map(({ name }) => name);
    const wrong = names.findIndex((name, place) => loaded[place]?.hook !== this.manager.get(name));
    if (wrong >= 0) for (const name of names.slice(wrong)) this.manager.remove(name);
  }

  /** The names of loaded hooks that are not called. */
  #silent(): string[] {
    return this.manager.list().flatMap(({ name, enabled }) => (enabled ? [] : [name]));
  }

  /** Outside of a run a hook waits for `load`, to get its place behind those that are still to be loaded. */
  #joinRun({ hook, ...place }: LoadedHook): void {
    if (this.isRunning()) this.manager.add(hook, place);
  }

  #switch(hook: Hook, on: boolean): void {
    if (this.manager.get(hook.name) !== hook || this.#resting.has(hook)) return;
    if (on) this.manager.enable(hook.name);
    else this.manager.disable(hook.name);
  }

  #forget(hook: Hook): void {
    this.#resting.delete(hook);
    if (this.manager.get(hook.name) === hook) this.manager.remove(hook.name);
  }
}

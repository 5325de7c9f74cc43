import { type Hook, type HookCost, HookManager } from '@hookline/hook-api';
import type { HookItem, HookName, HookRegistry, HookSetting, RegistryEntry } from '@hookline/hook-discovery';

/**
 * The hooks of a trainer. They can be listed, tuned and switched before any of their code is loaded, and added,
 * removed and switched while a run is on.
 */
export class TrainerHooks {
  /** Calls the hooks that are loaded. */
  readonly manager: HookManager = new HookManager();

  constructor(
    private readonly registry: HookRegistry,
    private readonly isRunning: () => boolean,
  ) {}

  /**
   * A hook, class, factory or name, alone or with options. A hook object takes part from the next event on. Returns
   * how to remove it again.
   */
  add(item: HookItem): () => void {
    const drop = this.registry.add(item);
    const remove = () => this.#follow(drop);
    // Outside of a run it waits for its turn behind those that are still to be loaded.
    if (!this.isRunning() || !isHook(item)) return remove;
    // The registry has accepted it, so a hook of this name that is loaded is an installed one that it replaces.
    if (this.manager.get(item.name)) this.manager.remove(item.name);
    this.manager.add(item);
    return remove;
  }

  /** Tunes installed hooks by name or package: options, `true` or `false`. Options take effect when they are loaded. */
  use(name: HookName, setting: HookSetting): void {
    this.#follow(() => this.registry.use(name, setting));
  }

  remove(name: HookName): void {
    this.#follow(() => this.registry.remove(name));
  }

  enable(name: HookName): void {
    this.use(name, true);
  }

  /** It stays in the list and keeps its state, but is not called. */
  disable(name: HookName): void {
    this.use(name, false);
  }

  /** Every hook that is known, in the order in which they run; those that are off have a reason. */
  list(): RegistryEntry[] {
    const live = new Map(this.manager.list().map(({ name, enabled }) => [name, enabled]));
    return this.registry.entries().map((entry) => {
      const failed = entry.enabled && live.get(entry.name) === false;
      return failed ? { ...entry, enabled: false, status: 'disabled', reason: 'it failed too often' } : entry;
    });
  }

  /** Switches off, for one run, every hook that leaves something behind; returns how to switch them on again. */
  withoutWriters(): () => void {
    const names = this.manager.list().flatMap(({ name, enabled }) => {
      return enabled && this.manager.get(name)?.writes ? [name] : [];
    });
    for (const name of names) this.manager.disable(name);
    return () => {
      for (const name of names) if (this.manager.get(name)) this.manager.enable(name);
    };
  }

  costs(): HookCost[] {
    return this.manager.costs();
  }

  /** Imports what is on, adds what is new, and drops or switches the rest as the registry says. */
  async load(): Promise<void> {
    const loaded = await this.registry.load();
    const wanted = new Set(loaded.map(({ hook }) => hook));
    for (const { name } of this.manager.list()) {
      if (!wanted.has(this.manager.get(name)!)) this.manager.remove(name);
    }
    for (const { hook, source, enabled } of loaded) {
      if (!this.manager.get(hook.name)) this.manager.add(hook, { source, enabled });
      else this.#switch(hook.name, enabled);
    }
  }

  /** Makes the loaded hooks follow a change of the registry, and leaves alone those that it did not touch. */
  #follow(change: () => void): void {
    const before = this.#switches();
    change();
    const after = this.#switches();
    for (const { name } of this.manager.list()) {
      const on = after.get(name);
      if (on === undefined) this.manager.remove(name);
      else if (on !== before.get(name)) this.#switch(name, on);
    }
  }

  #switches(): Map<string, boolean> {
    return new Map(this.registry.entries().map(({ name, enabled }) => [name, enabled]));
  }

  #switch(name: string, on: boolean): void {
    if (on) this.manager.enable(name);
    else this.manager.disable(name);
  }
}

function isHook(item: HookItem): item is Hook {
  return typeof item === 'object' && item !== null && !Array.isArray(item);
}
